# SPDX-License-Identifier: MIT
"""Hostile clients of an exporter, which must not disturb a scraper. Usage: clients.py PORT PID [sanitized]

Attackers have the address 127.0.0.2, then the scraper's own, 127.0.0.1. Each attack lasts while the scraper scrapes."""
import http.client, os, re, resource, socket, statistics, sys, threading, time

PORT, PID = int(sys.argv[1]), int(sys.argv[2])
SCRAPES = 25            # during each attack
# The bound of a scrape. A scrape takes a millisecond on an idle machine, and sometimes seconds on a busy one; a scraper
# whose connection the attackers can block waits until theirs time out (TIMEOUT_S of the exporter, 10), or for ever. A
# thread that sleeps counts the seconds, so that time in which the whole host is stopped does not count.
MOST_SECONDS = 6.0
TICK = 0.05
IDLE_SECONDS = 8.0      # after which the exporter may close a connection (TIMEOUT_S) before it is used again
MOST_MEMORY = 32 << 10  # KB of the network process, at any time
CONNECTIONS = 1000
GIGABYTE = 1 << 30
SANITIZED = 'sanitized' in sys.argv[3:]


ticks = 0


def count_ticks():
    global ticks
    while True:
        time.sleep(TICK)
        ticks += 1


def attacker(address):
    s = socket.socket()
    s.bind((address, 0))
    s.settimeout(60)
    s.connect(('127.0.0.1', PORT))
    s.setblocking(False)
    return s


def push(s, data):
    """Sends as much as the socket accepts. False: the server has closed the connection."""
    try:
        s.send(data)
    except BlockingIOError:
        pass
    except OSError:
        return False
    return True


def is_open(s):
    try:
        return s.recv(1, socket.MSG_PEEK) != b''
    except BlockingIOError:
        return True
    except OSError:
        return False


class Slow:
    """Sends headers one byte at a time."""
    head = b'GET /metrics HTTP/1.1\r\nHost: x\r\nX-Long: ' + b'a' * 8000

    def __init__(self, address):
        self.sockets = [attacker(address) for _ in range(CONNECTIONS)]
        self.at = 0

    def step(self):
        for s in self.sockets[::7]:
            push(s, self.head[self.at:self.at + 1])
        self.at += 1

    def check(self):
        held = sum(map(is_open, self.sockets))
        assert held <= 64, f'an address holds {held} connections'


class Idle(Slow):
    """Opens 1,000 connections that send nothing, or half of a line."""
    def step(self):
        if self.at == 0:
            for s in self.sockets[::2]:
                push(s, b'GET /metr')
        self.at = 1


class Deaf(Slow):
    """Sends requests without end, and does not read the answers."""
    request = b'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n' * 100

    def __init__(self, address):
        self.sockets = [attacker(address) for _ in range(60)]
        self.at = 0

    def step(self):
        for s in self.sockets:
            push(s, self.request)


class Bomb:
    """Sends one endless part of a request: the server reads only a bounded amount."""
    def __init__(self, address, head, part, most):
        self.socket, self.part, self.most = attacker(address), part, most
        self.socket.send(head)
        self.sent, self.ended = 0, False
        self.sockets = [self.socket]

    def step(self):
        for _ in range(20):
            if self.ended:
                return
            try:
                self.sent += self.socket.send(self.part)
            except BlockingIOError:
                return
            except OSError:
                self.ended = True

    def check(self):
        for _ in range(2000):
            self.step()
            if self.ended:
                break
        assert self.ended and self.sent < self.most, f'{self.sent} bytes were taken'


LINE = b'GET /metrics HTTP/1.1\r\nHost: x\r\n'
CHUNK = b'10000\r\n' + b'b' * 65536 + b'\r\n'
ATTACKS = {
    'idle connections': Idle,
    'slow headers': Slow,
    'unread answers': Deaf,
    'body of 1 GB': lambda a: Bomb(a, LINE + b'Content-Length: %d\r\n\r\n' % GIGABYTE, b'b' * 65536, 64 << 20),
    'body of chunks': lambda a: Bomb(a, LINE + b'Transfer-Encoding: chunked\r\n\r\n', CHUNK, 64 << 20),
    'POST of 1 GB': lambda a: Bomb(a, b'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n' % GIGABYTE,
                                   b'b' * 65536, 64 << 20),
    'header of 1 GB': lambda a: Bomb(a, LINE + b'X: ', b'a' * 65536, 64 << 20),
    'headers without end': lambda a: Bomb(a, LINE, b'X-Y: z\r\n' * 8192, 64 << 20),
    'path without end': lambda a: Bomb(a, b'GET /', b'a' * 65536, 64 << 20),
}


def get(connection, path='/metrics'):
    """Returns the seconds that the scrape took, and how many of them passed on this host."""
    begin, first = time.monotonic(), ticks
    connection.request('GET', path, headers={'Accept': 'application/openmetrics-text'})
    answer = connection.getresponse()
    body = answer.read()
    seconds = time.monotonic() - begin, (ticks - first) * TICK
    assert answer.status == 200 and (path != '/metrics' or body.endswith(b'# EOF\n')), (answer.status, body[-80:])
    return seconds


def scrape_during(name, address):
    begin = time.monotonic()
    attack = ATTACKS[name](address)
    opened = time.monotonic() - begin
    kept, used = None, 0
    times = []
    for i in range(SCRAPES):
        attack.step()
        fresh = http.client.HTTPConnection('127.0.0.1', PORT, timeout=60)
        times.append(get(fresh))
        fresh.close()
        if i % 5 == 0:
            if not kept or time.monotonic() - used > IDLE_SECONDS:
                kept = http.client.HTTPConnection('127.0.0.1', PORT, timeout=60)
            times.append(get(kept))
            used = time.monotonic()
    if hasattr(attack, 'check'):
        attack.check()
    kept.close()
    for s in attack.sockets:
        s.close()
    longest = max(passed for _, passed in times)
    assert longest < MOST_SECONDS, longest
    times = [seconds for seconds, _ in times]
    print(f'{name} from {address}: {len(times)} scrapes, median {statistics.median(times) * 1e3:.1f} ms, '
          f'longest {max(times) * 1e3:.1f} ms; opened in {opened:.2f} s, all in {time.monotonic() - begin:.2f} s')


def children(pid):
    return [int(p) for p in open(f'/proc/{pid}/task/{pid}/children').read().split()]


def pipelined():
    """Checks that answers of requests sent together arrive in order, each complete."""
    s = socket.create_connection(('127.0.0.1', PORT), timeout=60)
    paths = [b'/-/healthy', b'/none', b'/metrics'] * 20
    s.sendall(b''.join(b'GET ' + path + b' HTTP/1.1\r\nHost: x\r\n\r\n' for path in paths[:-1]) +
              b'GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    answers, seen = s.makefile('rb').read(), []
    while answers:
        head, _, rest = answers.partition(b'\r\n\r\n')
        size = int(re.search(rb'(?i)\r\ncontent-length: (\d+)', head)[1])
        seen.append(int(head.split()[1]))
        answers = rest[size:]
    assert seen == [200, 404, 200] * 20, seen


def main():
    threading.Thread(target=count_ticks, daemon=True).start()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    for _ in range(2400):
        try:
            get(http.client.HTTPConnection('127.0.0.1', PORT, timeout=60))
            break
        except (OSError, AssertionError):
            if not os.path.exists(f'/proc/{PID}'):
                raise
            time.sleep(0.05)
    pipelined()
    network = children(PID)
    assert len(network) == 1, network
    for address in ('127.0.0.2', '127.0.0.1'):
        for name in ATTACKS:
            scrape_during(name, address)
    status = dict(line.split(':', 1) for line in open(f'/proc/{network[0]}/status'))
    memory = int(status['VmHWM'].split()[0])
    print(f'network process: at most {memory} KB')
    assert SANITIZED or memory < MOST_MEMORY, memory


main()
