# SPDX-License-Identifier: MIT
"""The exporter's network process gets no processor for a while, so that its buffer fills. Usage: stopped.py PMON

The process is stopped until the exporter cannot write to it any more. The test gets the exporter's longest wait from
the kernel: it is a timeout of the socket, which a duplicate of the socket has, too. Then the process continues, and so
does the exporter. A second exporter is killed while its network process is stopped: the latter ends, too."""
import ctypes, os, select, signal, socket, struct, subprocess, sys, tempfile, time

LEAST_SECONDS = 20  # far longer than a busy host withholds a processor
PIDFD_GETFD = 438   # on all architectures
SKIPPED = 77


def await_(what, condition):
    for _ in range(1200):
        result = condition()
        if result is not None:
            return result
        time.sleep(0.05)
    sys.exit(f'no {what} in a minute: {open("err").read()}')


def get(path):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    try:
        s.connect('socket')
        s.sendall(f'GET {path} HTTP/1.0\r\n\r\n'.encode())
        return s.recv(64).split()[1:2] == [b'200'] or None
    except OSError:
        return None


def child_of(pid):
    with open(f'/proc/{pid}/task/{pid}/children') as f:
        return next((int(child) for child in f.read().split()), None)


def descriptors(pid):
    libc, pidfd = ctypes.CDLL(None, use_errno=True), os.pidfd_open(pid)
    for fd in os.listdir(f'/proc/{pid}/fd'):
        copy = libc.syscall(PIDFD_GETFD, pidfd, int(fd), 0)
        if copy < 0 and ctypes.get_errno() != 9:  # EBADF: closed meanwhile
            print(f'SKIPPED: pidfd_getfd: {os.strerror(ctypes.get_errno())}')
            sys.exit(SKIPPED)
        if copy >= 0:
            yield copy


def pair_of(pid):
    """Returns the socket to the other process, and the longest wait of a write to it in seconds; 0: for ever."""
    for fd in descriptors(pid):
        try:
            s = socket.socket(fileno=fd)
            if s.family == socket.AF_UNIX and s.type == socket.SOCK_STREAM and not s.getsockopt(
                    socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                return s, struct.unpack('ll', s.getsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, 16))[0]
            s.detach()
        except OSError:  # not a socket
            pass
        os.close(fd)
    sys.exit('the exporter has no socket to its network process')


def start(pmon):
    exporter = subprocess.Popen([pmon, '-p', 'emr', 'exporter', '--listen', 'unix:socket', '-I', '20ms', '--scenario',
                                 'long.scn'], stdin=subprocess.DEVNULL, stderr=open('err', 'w'))
    try:
        await_('server', lambda: get('/-/ready'))
        return exporter, child_of(exporter.pid)
    except BaseException:
        exporter.kill()
        raise


pmon = os.path.realpath(sys.argv[1])
with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    with open('long.scn', 'w') as f:
        f.write('thread 0 on core 0: sleep 100ms\n' * 5000)
    exporter, network = start(pmon)
    try:
        s, seconds = pair_of(exporter.pid)
        os.kill(network, signal.SIGSTOP)
        writable = lambda: bool(select.select([], [s], [], 0)[1])
        await_('full buffer', lambda: None if writable() else True)
        failures = [f'a write waits for {seconds} s only'] if 0 < seconds < LEAST_SECONDS else []
        if exporter.poll() is not None:
            failures.append('the exporter did not wait')
        os.kill(network, signal.SIGCONT)
        await_('room in the buffer', lambda: writable() or None)
        if not get('/-/healthy'):
            failures.append('the network process does not answer any more')
        exporter.terminate()
        if exporter.wait(600):
            failures.append(f'exit code {exporter.returncode}: {open("err").read()}')
    finally:
        exporter.kill()
        exporter.wait()
    exporter, network = start(pmon)
    ends = os.pidfd_open(network)
    os.kill(network, signal.SIGSTOP)
    exporter.kill()
    exporter.wait()
    if not select.select([ends], [], [], 60)[0]:
        failures.append('the network process outlives an exporter that is killed')
        os.kill(network, signal.SIGKILL)
for failure in failures:
    print(failure)
sys.exit(bool(failures))
