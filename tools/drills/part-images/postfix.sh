#!/bin/sh
# Does what the start script of the public image does for deploy/production/compose.yaml, and nothing else of it.
set -eu
touch /etc/postfix/main.cf
cp /usr/share/postfix/master.cf.dist /etc/postfix/master.cf
sed -i 's/^smtp  *inet .*/587 inet n - n - - smtpd/' /etc/postfix/master.cf
set() { postconf -e "$1=$2"; }
set compatibility_level 3.6
set myhostname "$HOSTNAME"
set mydestination ''
set inet_interfaces all
set inet_protocols ipv4
set mynetworks '127.0.0.0/8, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16'
set smtpd_relay_restrictions 'permit_mynetworks, reject'
set relayhost "${RELAYHOST:-}"
set maillog_file /dev/stdout
env | sed -n 's/^POSTFIX_//p' | while IFS= read -r line; do postconf -e "$line"; done
exec postfix start-fg
