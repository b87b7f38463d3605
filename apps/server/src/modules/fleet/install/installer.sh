#!/usr/bin/env bash
# Makes this machine a desk of Crewhall: a sidecar, the Node it runs on, and a service that keeps it running.
# Files: /opt/crewhall (programs), /etc/crewhall (settings), /var/lib/crewhall (keys and state).
# To undo it: /opt/crewhall/bin/crewhall-uninstall
#
# A shell reads the braces whole before it runs anything, so that half of this file does nothing.
{
crewhall_install() {
  if [ "${EUID:-1}" -ne 0 ]; then
    printf '%s\n' 'crewhall: the installer needs root: log in as root, or run the command that ends with "sudo bash".' \
      'Nothing was changed on this machine.' >&2
    exit 6
  fi
  set -u
  umask 077
  export LC_ALL=C PATH="${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  # @values

  local home=/opt/crewhall state=/var/lib/crewhall settings=/etc/crewhall/sidecar.json
  local unit=/etc/systemd/system/crewhall-sidecar.service log=/var/log/crewhall-sidecar.log
  local stage=fetched work='' is_new=no is_changed=no arch='' address=''
  local node_version='' node_bytes='' node_sha256='' node_program_sha256='' node_signature='' node_key=''
  local node_key_signature='' node='' missing=''

  say() { printf 'crewhall: %s\n' "$*"; }

  # What is secret is handed over on standard input: arguments can be read by everybody on this machine.
  call() {
    printf 'header = "Authorization: Bearer %s"\n' "$pat" |
      curl -q -K - --silent --show-error --connect-timeout 15 "$@"
  }

  # How far this is, for the checklist of the desk. It is told if it can be.
  report() {
    local body="{\"stage\":\"$stage\",\"ok\":$1,\"exit_code\":${2:-null}}"
    call --max-time 15 --header 'Content-Type: application/json' --data "$body" --output /dev/null \
      --write-out '%{http_code} %{local_ip}' "$url/api/v1/desk-agent/install-events" 2>/dev/null
  }

  fail() {
    local code=$1
    shift
    printf 'crewhall: %s\n' "$*" >&2
    report false "$code" >/dev/null
    if [ "$is_new" = yes ]; then undo; fi
    exit "$code"
  }

  # A stage has ended well; the next begins.
  passed() {
    report true >/dev/null
    stage=$1
  }

  # Takes back what a first installation has done so far.
  undo() {
    if [ -x "$home/bin/crewhall-uninstall" ]; then
      "$home/bin/crewhall-uninstall" >/dev/null 2>&1
    else
      rm -rf "$home" "$state" /etc/crewhall
    fi
  }

  check_machine() {
    local tool missing=''
    [ "$(uname -s)" = Linux ] || fail 2 'this is no Linux.'
    case $(uname -m) in
      x86_64 | amd64) arch=x64 ;;
      aarch64 | arm64) arch=arm64 ;;
      *) fail 2 "there is no sidecar for machines of the kind $(uname -m)." ;;
    esac
    for tool in base64 cat chmod curl flock grep gzip ln mkdir mktemp mv readlink rm sed setsid sha256sum tr; do
      command -v "$tool" >/dev/null || missing="$missing $tool"
    done
    [ -z "$missing" ] || fail 2 "these programs are missing:$missing."
    [ -s /etc/machine-id ] || fail 2 '/etc/machine-id is missing or empty: run systemd-machine-id-setup, or write 32 random hexadecimal digits to it.'
    case $arch in
      x64)
        node_version=$node_x64_version node_bytes=$node_x64_bytes node_sha256=$node_x64_sha256
        node_program_sha256=$node_x64_program_sha256 node_signature=$node_x64_signature
        node_key=$node_x64_key node_key_signature=$node_x64_key_signature
        ;;
      arm64)
        node_version=$node_arm64_version node_bytes=$node_arm64_bytes node_sha256=$node_arm64_sha256
        node_program_sha256=$node_arm64_program_sha256 node_signature=$node_arm64_signature
        node_key=$node_arm64_key node_key_signature=$node_arm64_key_signature
        ;;
    esac
    [ -n "$node_sha256" ] || fail 2 "this installation of Crewhall has no Node for machines of the kind $arch."
  }

  # The service must be within reach, and take the token. It sees which address of this machine reaches it.
  check_service() {
    local seen
    seen=$(report true)
    case ${seen%% *} in
      200) ;;
      401 | 403) fail 5 'the token was refused: regenerate it, and run the new command.' ;;
      000 | '') fail 3 "$url cannot be reached from this machine." ;;
      *) fail 3 "$url returned ${seen%% *}." ;;
    esac
    address=${seen#* }
    [ "$has_mesh" = no ] || address=::
    case $address in
      '' | *[!0-9a-fA-F.:]*) fail 8 'this version of curl does not tell the address of this machine.' ;;
    esac
    stage=preflight
  }

  # A line of a JSON file of ours.
  field() { sed -n "s/^ *\"$2\": \"\{0,1\}\([0-9a-zA-Z.:-]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" 2>/dev/null | sed -n 1p; }

  is_released() { [ "$(field "$state/desk.json" is_released)" = true ]; }
  is_joined() {
    [ "$(field "$state/desk.json" env_id)" = "$env_id" ] && ! is_released &&
      [ "$(field "$state/desk.json" is_quarantined)" != true ]
  }

  check_other_desk() {
    local other
    other=$(field "$settings" env_id)
    if [ -z "$other" ]; then
      [ -e "$home" ] || [ -e "$state" ] || is_new=yes
      return
    fi
    [ "$other" != "$env_id" ] || return 0
    is_released || fail 7 "this machine hosts the desk $other: run the command on a machine of its own, or release that desk and run $home/bin/crewhall-uninstall first."
    say "the desk $other was released: its keys and settings are removed."
    "$home/bin/crewhall-uninstall" >/dev/null 2>&1
    is_new=yes
  }

  is_digest() { [ -f "$1" ] && [ "$(sha256sum <"$1")" = "$2  -" ]; }

  # Into the folder for drafts. Prints what the service returned.
  download() {
    call --max-time 900 --speed-limit 1000 --speed-time 60 --max-filesize "$3" --output "$work/$1" \
      --write-out '%{http_code}' "$url/api/v1/desk-agent/install-files?sha256=$2"
  }

  # By digest: what is in the file is known before anything looks at it.
  fetch() {
    local name=$1 digest=$2 bytes=$3 status
    status=$(download "$name" "$digest" "$bytes") || fail 3 "$name could not be downloaded from $url."
    case $status in
      200) ;;
      401) fail 5 'the token was refused: regenerate it, and run the new command.' ;;
      *) fail 3 "$name could not be downloaded from $url, which returned $status." ;;
    esac
    is_digest "$work/$name" "$digest" || fail 4 "$name does not have the digest that this installer names."
  }

  # Ed25519, by OpenSSL 3, or else by the Node whose digest stands in this file.
  is_signed() {
    local key signature
    key="MCowBQYDK2VwAyEA$(printf '%s' "$1" | tr -- '-_' '+/')="
    signature="$(printf '%s' "$2" | tr -- '-_' '+/')=="
    printf '%s' "$3" >"$work/text"
    printf '%s' "$signature" | base64 -d >"$work/signature" || return 1
    printf '%s\n' '-----BEGIN PUBLIC KEY-----' "$key" '-----END PUBLIC KEY-----' >"$work/key.pem"
    case $(openssl version 2>/dev/null) in
      'OpenSSL '[3-9]*)
        openssl pkeyutl -verify -pubin -inkey "$work/key.pem" -rawin -in "$work/text" -sigfile "$work/signature" \
          >/dev/null 2>&1
        ;;
      *)
        "$node" -e 'const { readFileSync: read } = require("node:fs")
          const [key, text, signature] = process.argv.slice(1).map((path) => read(path))
          process.exit(require("node:crypto").verify(null, text, key, signature) ? 0 : 1)' \
          "$work/key.pem" "$work/text" "$work/signature"
        ;;
    esac
  }

  # The root key has signed the key, and the key the text.
  is_vouched_for() {
    is_signed "$root_key" "$2" "crewhall-sidecar-bundle-key
$1" && is_signed "$1" "$3" "$4"
  }

  install_node() {
    node=$home/node/$node_version-${node_program_sha256:0:12}/node
    if ! is_digest "$node" "$node_program_sha256"; then
      fetch node.gz "$node_sha256" "$node_bytes"
      { gzip -dc <"$work/node.gz" >"$work/node" && is_digest "$work/node" "$node_program_sha256"; } ||
        fail 4 'the Node in the download is another one than this installer names.'
      {
        mkdir -p "${node%/*}" && chmod 755 "$home" "$home/node" "${node%/*}" "$work/node" && mv -f "$work/node" "$node"
      } || fail 3 "$node cannot be written."
      rm -f "$work/node.gz"
    fi
    "$node" --version >/dev/null 2>&1 || install_library
    is_vouched_for "$node_key" "$node_key_signature" "$node_signature" "crewhall-node
$node_version
$arch
$node_bytes
$node_sha256
$node_program_sha256" || fail 4 'the signature of Node is wrong.'
    link "$node" "$home/bin/node"
  }

  # The one library that Node needs and a small system may lack.
  install_library() {
    say 'Node does not start yet: trying to install libatomic.'
    if command -v apt-get >/dev/null; then
      DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends libatomic1 >/dev/null 2>&1 </dev/null
    elif command -v dnf >/dev/null; then
      dnf install --assumeyes libatomic >/dev/null 2>&1 </dev/null
    fi
    "$node" --version >/dev/null || fail 2 'Node does not start on this machine: install libatomic1, and run the command again.'
  }

  install_sidecar() {
    local file=$home/supervisor/sidecar.mjs
    if ! is_digest "$file" "$sidecar_sha256"; then
      fetch sidecar.mjs "$sidecar_sha256" "$sidecar_bytes"
      is_vouched_for "$sidecar_key" "$sidecar_key_signature" "$sidecar_signature" "crewhall-sidecar-bundle
$sidecar_version
$sidecar_floor
$sidecar_bytes
$sidecar_sha256" || fail 4 'the signature of the sidecar is wrong.'
      [ "$("$node" "$work/sidecar.mjs" version)" = "$sidecar_version" ] || fail 9 'the sidecar does not start on this machine.'
      { mkdir -p "${file%/*}" && mv -f "$work/sidecar.mjs" "$file"; } || fail 3 "$file cannot be written."
      is_changed=yes
    fi
    replace "$home/bin/crewhall-sidecar" 755 <<'FILE'
#!/bin/sh
# The sidecar of this desk, for example: crewhall-sidecar build npm run deploy
exec /opt/crewhall/bin/node /opt/crewhall/sidecar/current/sidecar.mjs "$@"
FILE
  }

  # Written beside and renamed, and only if it is different.
  replace() {
    { mkdir -p "${1%/*}" && cat >"$work/new" && chmod "$2" "$work/new"; } || fail 3 "$1 cannot be written."
    if [ -f "$1" ] && [ "$(sha256sum <"$work/new")" = "$(sha256sum <"$1")" ]; then return; fi
    mv -f "$work/new" "$1" || fail 3 "$1 cannot be written."
    is_changed=yes
  }

  link() {
    mkdir -p "${2%/*}"
    [ "$(readlink "$2")" != "$1" ] || return 0
    { ln -sfn "$1" "$2.new" && mv -fT "$2.new" "$2"; } || fail 3 "$2 cannot be written."
    is_changed=yes
  }

  # Whether the kernel has WireGuard, or a program does its work.
  has_wireguard() {
    command -v wireguard-go >/dev/null ||
      { ip link add crewprobe0 type wireguard && ip link delete crewprobe0; } >/dev/null 2>&1
  }

  # What the sidecar makes its end of the private network with, from the packages of the system where it is not here yet.
  join_network() {
    local packages=()
    [ "$has_mesh" = yes ] || return 0
    command -v ip >/dev/null || packages+=(iproute2)
    command -v wg >/dev/null || packages+=(wireguard-tools)
    has_wireguard || packages+=(wireguard-go)
    [ "${#packages[@]}" -gt 0 ] || return 0
    say "installing ${packages[*]} for the private network."
    if command -v apt-get >/dev/null; then
      DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${packages[@]}" >/dev/null 2>&1 </dev/null
    elif command -v dnf >/dev/null; then
      dnf install --assumeyes "${packages[@]/iproute2/iproute}" >/dev/null 2>&1 </dev/null
    fi
    { command -v ip && command -v wg && has_wireguard; } >/dev/null ||
      missing="the private network needs ${packages[*]}, which could not be installed"
  }

  # The sidecar calls the hub by itself. Where nobody answers it goes on trying, and the desk says what is missing.
  await_handshake() {
    local tries=0
    [ "$has_mesh" = yes ] && grep -q '"mesh": {' "$state/desk.json" || return 0
    until wg show crewdesk0 latest-handshakes 2>/dev/null | grep -q '[[:space:]][1-9][0-9]*$'; do
      tries=$((tries + 1))
      if [ "$tries" -ge 150 ] || [ -n "$missing" ]; then
        is_new=no
        fail 8 "${missing:-the hub of the private network does not answer: open outbound UDP to it in the firewall}. The sidecar runs, and goes on trying."
      fi
      sleep 0.2
    done
  }

  # In the private network the sidecar has an address of its own. Else it is asked at the address by which this machine has
  # reached the service.
  write_settings() {
    local place="
  \"health_address\": \"$address\","
    [ "$has_mesh" = no ] || place=''
    if [ "$(field "$settings" env_id)" = "$env_id" ]; then
      # People may have added to it.
      sed "s/^\( *\"health_address\": \)\"[^\"]*\"/\1\"$address\"/" "$settings" >"$work/settings"
    else
      cat >"$work/settings" <<FILE
{
  "server_url": "$url",
  "env_id": "$env_id",
  "runtime": "$runtime",
  "state_dir": "$state",
  "join_secret_file": "$state/join-secret",$place
  "updates": { "directory": "$home/sidecar", "root_key": "$root_key" }
}
FILE
    fi
    replace "$settings" 600 <"$work/settings"
    { mkdir -p "$state" && chmod 700 "$state"; } || fail 3 "$state cannot be written."
    is_joined && return
    rm -f "$state/join-refused"
    printf '%s\n' "$pat" >"$state/join-secret" || fail 3 "$state cannot be written."
    is_changed=yes
  }

  has_systemd() { [ -d /run/systemd/system ] && command -v systemctl >/dev/null; }

  write_service() {
    # Of root it needs what reads and writes files of people where its settings say so, and what makes a tunnel.
    local rights='CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER' devices='PrivateDevices=yes'
    if [ "$has_mesh" = yes ]; then
      rights="$rights CAP_NET_ADMIN" devices='DevicePolicy=closed
DeviceAllow=/dev/net/tun rw'
    fi
    if has_systemd; then
      replace "$unit" 644 <<FILE
[Unit]
Description=Sidecar of a Crewhall desk
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Environment=SIDECAR_SETTINGS=/etc/crewhall/sidecar.json NODE_USE_SYSTEM_CA=1
ExecStart=/opt/crewhall/bin/node /opt/crewhall/supervisor/sidecar.mjs supervise
Restart=always
RestartSec=2
# The desk was released, or another machine has its key: only a person can mend that.
RestartPreventExitStatus=10 11
SuccessExitStatus=10 11
KillMode=mixed
TimeoutStopSec=15
UMask=0077
CapabilityBoundingSet=$rights
NoNewPrivileges=yes
ProtectSystem=full
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
$devices
PrivateTmp=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
FILE
      return
    fi
    replace "$home/bin/crewhall-run" 755 <<'FILE'
#!/usr/bin/env bash
# Keeps the sidecar running where there is no systemd. One runs at a time; a second one ends at once.
exec 9>>/var/lib/crewhall/service.pid
flock -n 9 || exit 0
echo $$ >/var/lib/crewhall/service.pid
export SIDECAR_SETTINGS=/etc/crewhall/sidecar.json NODE_USE_SYSTEM_CA=1
umask 077
cd / || exit 1
child='' is_stopped=no
trap 'is_stopped=yes; kill "$child" 2>/dev/null' TERM INT
trap '' HUP
while [ "$is_stopped" = no ]; do
  /opt/crewhall/bin/node /opt/crewhall/supervisor/sidecar.mjs supervise 9>&- &
  child=$!
  # It may have been told to stop before it knew whom to stop.
  [ "$is_stopped" = no ] || kill "$child"
  wait "$child"
  code=$?
  # The signal ends the wait, not the child.
  while kill -0 "$child" 2>/dev/null; do
    wait "$child"
    code=$?
  done
  [ "$is_stopped" = no ] || exit 0
  case $code in 10 | 11) exit "$code" ;; esac
  sleep 2
done
FILE
    if [ -d /etc/cron.d ] && { command -v cron || command -v crond; } >/dev/null; then
      replace /etc/cron.d/crewhall-sidecar 644 <<'FILE'
# Starts the sidecar of this desk when the machine starts.
@reboot root /opt/crewhall/bin/crewhall-run </dev/null >>/var/log/crewhall-sidecar.log 2>&1
FILE
    elif [ -d /etc/init.d ] && command -v update-rc.d >/dev/null; then
      replace /etc/init.d/crewhall-sidecar 755 <<'FILE'
#!/bin/sh
### BEGIN INIT INFO
# Provides:          crewhall-sidecar
# Required-Start:    $network $local_fs
# Required-Stop:
# Default-Start:     2 3 4 5
# Default-Stop:
# Short-Description: Sidecar of a Crewhall desk
### END INIT INFO
[ "$1" = start ] || exit 0
setsid /opt/crewhall/bin/crewhall-run </dev/null >>/var/log/crewhall-sidecar.log 2>&1 &
FILE
      update-rc.d crewhall-sidecar defaults >/dev/null 2>&1
    else
      say "nothing here starts programs when the machine starts: have it run $home/bin/crewhall-run then."
    fi
  }

  write_uninstaller() {
    replace "$home/bin/crewhall-uninstall" 755 <<'FILE'
#!/usr/bin/env bash
# Removes the sidecar of this desk, its keys and its settings. Files of people stay, and so does the desk in its
# workspace until it is released there.
{
  if [ "${EUID:-1}" -ne 0 ]; then
    echo 'crewhall: removing the sidecar needs root.' >&2
    exit 6
  fi
  if [ -d /run/systemd/system ]; then
    systemctl disable --now crewhall-sidecar.service 2>/dev/null
    rm -f /etc/systemd/system/crewhall-sidecar.service
    systemctl daemon-reload
    systemctl reset-failed crewhall-sidecar.service 2>/dev/null
  fi
  rm -f /etc/cron.d/crewhall-sidecar
  if [ -e /etc/init.d/crewhall-sidecar ]; then
    rm -f /etc/init.d/crewhall-sidecar
    update-rc.d crewhall-sidecar remove >/dev/null 2>&1
  fi
  # The lock is held exactly while it runs.
  if [ -e /var/lib/crewhall/service.pid ] && ! flock -n /var/lib/crewhall/service.pid true; then
    kill "$(cat /var/lib/crewhall/service.pid)"
    flock -w 20 /var/lib/crewhall/service.pid true
  fi
  ip link delete crewdesk0 2>/dev/null
  for program in claude codex; do
    if grep -qs ' exec /opt/crewhall/' "/usr/local/bin/$program"; then rm -f "/usr/local/bin/$program"; fi
  done
  # The employee that worked here works no more from this machine. Its files stay.
  rm -f /srv/crewhall/*/agent/.token /srv/crewhall/*/agent/.agent.json
  rm -rf /etc/crewhall /var/lib/crewhall /var/log/crewhall-sidecar.log /opt/crewhall
  echo 'crewhall: the sidecar is removed.'
  exit 0
}
FILE
  }

  # Whether somebody holds the lock of the state: a sidecar runs.
  is_running() { [ -e "$state/lock" ] && ! flock -n "$state/lock" true; }

  start_service() {
    if [ "$is_changed" = no ] && is_running; then return; fi
    if has_systemd; then
      systemctl daemon-reload
      systemctl enable crewhall-sidecar.service >/dev/null 2>&1 || fail 9 'the service cannot be enabled.'
      systemctl restart crewhall-sidecar.service || fail 9 'the service does not start: see journalctl -u crewhall-sidecar.'
      return
    fi
    if [ -e "$state/service.pid" ] && ! flock -n "$state/service.pid" true; then
      kill "$(cat "$state/service.pid")"
      flock -w 20 "$state/service.pid" true || fail 9 'the sidecar that runs does not end.'
    fi
    setsid "$home/bin/crewhall-run" </dev/null >>"$log" 2>&1 &
    disown
  }

  # The sidecar makes its keys and registers by itself.
  await_registration() {
    local tries=0
    until is_joined && [ ! -e "$state/join-secret" ]; do
      if [ -e "$state/join-refused" ]; then
        case $(cat "$state/join-refused") in
          401* | 403* | 409*) fail 5 "the service refused this machine: $(sed 's/^[0-9]*: //' "$state/join-refused")" ;;
          *) fail 8 "the service refused this machine: $(sed 's/^[0-9]*: //' "$state/join-refused")" ;;
        esac
      fi
      tries=$((tries + 1))
      [ "$tries" -lt 300 ] || fail 9 'the sidecar has not registered within a minute: see its log.'
      sleep 0.2
    done
  }

  await_sidecar() {
    local tries=0
    until is_running; do
      tries=$((tries + 1))
      [ "$tries" -lt 150 ] || fail 9 'the sidecar does not stay up: see its log.'
      sleep 0.2
    done
  }

  # npm itself comes from the service, like Node.
  install_npm() {
    npm=$home/npm/$npm_version-${npm_sha256:0:12}
    if [ -e "$npm/bin/npm-cli.js" ]; then return 0; fi
    missing='this installation of Crewhall has no npm'
    [ -n "$npm_sha256" ] || return 1
    missing='npm could not be downloaded'
    { [ "$(download npm.tgz "$npm_sha256" "$npm_bytes")" = 200 ] && is_digest "$work/npm.tgz" "$npm_sha256"; } || return 1
    missing='the signature of npm is wrong'
    is_vouched_for "$npm_key" "$npm_key_signature" "$npm_signature" "crewhall-npm
$npm_version
$npm_bytes
$npm_sha256" || return 1
    missing='npm could not be unpacked'
    mkdir -p "$work/npm" "$home/npm" && tar -xzf "$work/npm.tgz" -C "$work/npm" --strip-components=1 --no-same-owner &&
      chmod 755 "$home/npm" "$work/npm" && rm -rf "$npm" && mv "$work/npm" "$npm"
  }

  # Programs of npm run for everybody on this machine. No project that somebody stands in has a say.
  run_npm() (
    umask 022
    cd / || exit 1
    PATH="$home/bin:$PATH" timeout 900 "$home/bin/node" "$npm/bin/npm-cli.js" "$@" --global --prefix "$home/runtimes" \
      --cache "$work/cache" --no-audit --no-fund --no-update-notifier --loglevel error </dev/null >/dev/null 2>&1
  )

  # From a registry of npm, which is another host than ours: a desk without it has joined all the same. Which one it is, is
  # a setting of npm on this machine.
  install_runtime() {
    local package='' program='' npm=''
    case $runtime in
      claude_code) package=@anthropic-ai/claude-code program=claude ;;
      codex) package=@openai/codex program=codex ;;
      *) return 0 ;;
    esac
    if command -v "$program" >/dev/null; then return 0; fi
    install_npm || return 1
    # Asked once and briefly, before npm would try for minutes.
    missing='the registry of npm cannot be reached'
    run_npm view "$package" version --fetch-retries 0 --fetch-timeout 20000 || return 1
    missing="npm could not install $package"
    mkdir -p "$home/runtimes" && run_npm install "$package" || return 1
    chmod 755 "$home/runtimes" "$home/bin"
    replace "/usr/local/bin/$program" 755 <<FILE
#!/bin/sh
PATH="\$PATH:$home/bin" exec $home/runtimes/bin/$program "\$@"
FILE
    "/usr/local/bin/$program" --version >/dev/null 2>&1 </dev/null
  }

  trap 'if [ -n "$work" ]; then rm -rf "$work"; fi' EXIT
  check_service
  check_machine
  check_other_desk
  { mkdir -p "$home" && work=$(mktemp -d "$home/.install.XXXXXX"); } || fail 3 "$home cannot be written."
  write_uninstaller
  passed bundle_verified
  install_node
  install_sidecar
  passed registered
  join_network
  write_settings
  write_service
  start_service
  await_registration
  passed wg_up
  await_handshake
  passed sidecar_started
  await_sidecar
  passed runtime
  is_new=no
  say "the sidecar $sidecar_version runs, and this machine is the desk $env_id."
  if install_runtime; then
    report true >/dev/null
  else
    report false >/dev/null
    say "$runtime was not installed: $missing. The desk works without it; run the command again to try once more."
  fi
  exit 0
}
crewhall_install
}
