! SPDX-License-Identifier: MIT
! Regions of a Fortran program (docs/regions.md): `pmon stat -- ./program` counts what happens while they run.
!
!   use pmon_region
!   call region_begin('solve')
!   ...
!   call region_end('solve')
!
! Each thread has regions of its own. Blanks at the end of a name do not count; names have up to 119 bytes.
! To build: gfortran pmon_region.f90 program.f90 -lpmon-region
module pmon_region
  use, intrinsic :: iso_c_binding, only: c_char, c_size_t
  implicit none
  private
  public :: region_begin, region_end

  interface
    subroutine begin_text(name, n) bind(c, name='pmon_region_begin_text')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: n
    end subroutine begin_text

    subroutine end_text(name, n) bind(c, name='pmon_region_end_text')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: n
    end subroutine end_text
  end interface

contains

  ! This thread enters the region.
  subroutine region_begin(name)
    character(len=*, kind=c_char), intent(in) :: name
    call begin_text(name, len_trim(name, kind=c_size_t))
  end subroutine region_begin

  ! This thread leaves the region.
  subroutine region_end(name)
    character(len=*, kind=c_char), intent(in) :: name
    call end_text(name, len_trim(name, kind=c_size_t))
  end subroutine region_end

end module pmon_region
