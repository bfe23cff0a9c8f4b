! SPDX-License-Identifier: MIT
! Fills a field of 2 MiB, and adds it up ten times; each in a region.
!   gfortran $(pkg-config --cflags pmon-region) .../include/pmon/pmon_region.f90 region.f90 $(pkg-config --libs pmon-region)
!   pmon stat -- ./a.out
program example
  use, intrinsic :: iso_fortran_env, only: real64
  use pmon_region
  implicit none
  integer, parameter :: n = 262144
  real(real64), allocatable :: field(:)
  real(real64) :: total
  integer :: i

  allocate (field(n))
  call region_begin('fill')
  do i = 1, n
    field(i) = real(i, real64)
  end do
  call region_end('fill')

  total = 0
  do i = 1, 10
    call region_begin('sum  ')
    total = total + sum(field)
    call region_end('sum')
  end do
  if (abs(total - 5*real(n, real64)*(n + 1)) > 0.5_real64) error stop 'wrong sum'
  print '(f0.0)', total
end program example
