#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon exporter --web-config`: TLS, its versions and client certificates, users with bcrypt hashes, wrong files, a new
# file at SIGHUP; the reverse proxy of examples/exporter, if nginx is installed. Usage: exporter_web.sh PMON SOURCE
pmon=$(realpath "$1")
source=$(realpath "$2")
tools='openssl python3'
. "$(dirname "$(realpath "$0")")/served.sh"
{
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -subj /CN=ca -days 30
  for name in localhost client; do
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.csr -subj /CN=$name
    echo "subjectAltName=DNS:$name" >$name.ext
    openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $name.pem -days 30 -extfile $name.ext
  done
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.pem -subj /CN=other -days 30
} >openssl.log 2>&1 || { cat openssl.log; exit 1; }
# The hash of "horse", with the fewest rounds.
hash='$2y$04$GvHoWBbkvTNcdKDn2s9lh.tL9lHeKmyQ8FNaiHna0O6tVJTTO2jdi'
echo 'thread 0 on core 0: stream past-caches 256K stride 64' >s.scn

"$pmon" exporter --help | grep -q -- '--web-config FILE' || { echo 'the help does not name the file of --web-config'; exit 1; }

# Wrong files: file, line, column and what is expected.
while IFS='|' read -r place message content; do
  printf "$content" >wrong.yml
  timeout -s KILL 600 "$pmon" -p emr exporter --web-config wrong.yml --scenario s.scn --listen unix:none 2>err </dev/null
  check "$content: exit code" [ $? -eq 2 ]
  check "$content: $place" grep -q "wrong.yml:$place" err
  check "$content: $message" grep -q "$message" err
done <<'END'
2:3: |unknown key|tls_server_config:\n  certificate: x
2:14: |No such file|tls_server_config:\n  cert_file: none.pem\n  key_file: localhost.key
2:14: |PEM|tls_server_config:\n  cert_file: s.scn\n  key_file: localhost.key
 |give both|tls_server_config:\n  cert_file: localhost.pem
4:16: |TLS12 or TLS13|tls_server_config:\n  cert_file: localhost.pem\n  key_file: localhost.key\n  min_version: SSL3
2:16: |below min_version|tls_server_config:\n  max_version: TLS12\n  min_version: TLS13
2:10: |false or true|http_server_config:\n  http2: yes
2:10: |bcrypt|basic_auth_users:\n  alice: horse
2:21: |client_ca_file|tls_server_config:\n  client_auth_type: RequireAndVerifyClientCert
END

port=$(free_port)
cat >web.yml <<YML
tls_server_config:
  cert_file: localhost.pem
  key_file: $work/localhost.key
  min_version: TLS13
basic_auth_users:
  alice: $hash
YML
# Relative paths in web.yml are relative to its folder, not to the working directory.
mkdir elsewhere
cd elsewhere || exit 1
timeout -s KILL 500 "$pmon" -p emr exporter --web-config ../web.yml --listen "localhost:$port" --scenario ../s.scn -I 100ms >../out 2>../err </dev/null &
exporter=$!
cd ..
get() { curl -s --max-time 60 -o body -w '%{http_code}' --cacert ca.pem "$@"; }
is() {   # STATUS ARGUMENTS...
  expected=$1
  shift
  [ "$(get "$@")" = "$expected" ]
}
url=https://localhost:$port
check "a user's password" await is 200 -u alice:horse "$url/metrics"
check "the text" grep -q '^pmon_info' body
check "once more, known by its cheaper hash" is 200 -u alice:horse "$url/metrics"
check "the first page too" is 200 -u alice:horse "$url/"
check "no password" is 401 "$url/metrics"
check "health is not public" is 401 "$url/-/healthy"
check "a wrong password" is 401 -u alice:cow "$url/metrics"
check "an unknown user" is 401 -u bob:horse "$url/metrics"
check "an empty password" is 401 -u alice: "$url/metrics"
check "another split of the same text" is 401 -u alic:e:horse "$url/metrics"
check "a long password" is 401 -u "alice:$(printf '%0600d' 0)" "$url/metrics"
check "what is no base64" is 401 -H 'Authorization: Basic ????' "$url/metrics"
check "a challenge" sh -c "curl -s -D - -o /dev/null --cacert ca.pem $url/metrics | grep -qi '^www-authenticate: basic realm=\"pmon\"'"
check "no TLS 1.2" is 000 --tls-max 1.2 -u alice:horse "$url/metrics"
check "no plain HTTP" is 000 "http://localhost:$port/metrics"
check "the certificate is the one of the file" is 000 --cacert other.pem -u alice:horse "$url/metrics"

# Wrong passwords, each of which takes time: the last successful login is answered nevertheless.
sed -i 's/alice: .*/&\n  carol: $2y$12$GvHoWBbkvTNcdKDn2s9lh.tL9lHeKmyQ8FNaiHna0O6tVJTTO2jdi/' web.yml
pid=$(pgrep -P $exporter -x pmon || echo $exporter)
kill -HUP "$pid"
check "reloaded with two users" await grep -q 'reloaded' err
check "alice is known" is 200 -u alice:horse "$url/metrics"
many=$(i=0; while [ $i -lt 60 ]; do i=$((i + 1)); printf '%s -o none ' "$url/metrics"; done)
# shellcheck disable=SC2086
check "then no password is checked" sh -c "curl -s --max-time 300 -w '%{http_code}\n' --cacert ca.pem -u carol:cow $many | grep -q 429"
check "but that of alice" is 200 -u alice:horse "$url/metrics"

# A new file: client certificates, no users.
cat >web.yml <<YML
tls_server_config:
  cert_file: localhost.pem
  key_file: localhost.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: ca.pem
  max_version: TLS12
http_server_config:
  http2: false
YML
pid=$(pgrep -P $exporter -x pmon || echo $exporter)
kill -HUP "$pid"
check "reloaded" await sh -c 'test "$(grep -c reloaded err)" -eq 2'
check "a client's certificate" await is 200 --cert client.pem --key client.key "$url/metrics"
check "no certificate" is 401 "$url/metrics"
check "a certificate of others" sh -c "! [ \"\$(curl -s --max-time 60 -o body -w '%{http_code}' --cacert ca.pem --cert other.pem --key other.key $url/metrics)\" = 200 ]"
check "no TLS 1.3" is 000 --tlsv1.3 --cert client.pem --key client.key "$url/metrics"
check "TLS 1.2" is 200 --tls-max 1.2 --cert client.pem --key client.key "$url/metrics"
cp ca.key localhost.key # does not fit the certificate
kill -HUP "$pid"
check "a wrong pair of files" await grep -q 'do not match' err
check "the old one remains" await grep -q 'old configuration remains' err
check "and serves" is 200 --cert client.pem --key client.key "$url/metrics"
kill -TERM "$pid"
wait $exporter
check "SIGTERM ends it" [ $? -eq 0 ]
exporter=

# The reverse proxy does TLS and authentication; the exporter has a Unix socket.
if command -v nginx >/dev/null; then
  cp client.key server.key
  cp client.pem server.pem
  echo 'alice:$apr1$salt$M6UvkRqQvD49WFcGywvp01' >pmon.htpasswd
  mkdir temporary
  {
    printf 'daemon off;\nmaster_process off;\npid pid;\nerror_log proxy.log;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path temporary;\n'
    sed -e "s,/run/pmon/exporter.sock,$work/socket," -e "s,listen 9738,listen 127.0.0.1:$port," "$source/examples/exporter/nginx.conf"
    echo '}'
  } >nginx.conf
  timeout -s KILL 500 "$pmon" -p emr exporter --listen "unix:$work/socket" --scenario s.scn -I 100ms >out 2>err </dev/null &
  exporter=$!
  nginx -p "$work" -c nginx.conf 2>proxy.err &
  others=$!
  url=https://client:$port/metrics through="--connect-to client:$port:localhost:$port"
  # shellcheck disable=SC2086
  check "through nginx" await is 200 $through -u alice:horse "$url"
  check "its text" grep -q '^pmon_info' body
  # shellcheck disable=SC2086
  check "no password at nginx" is 401 $through "$url"
  # shellcheck disable=SC2086
  check "POST at nginx" is 403 $through -u alice:horse -d x "$url"
  kill "$others"
  others=
  kill -TERM "$(pgrep -P $exporter -x pmon || echo $exporter)"
  wait $exporter
  exporter=
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
