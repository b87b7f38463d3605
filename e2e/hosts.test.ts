import { existsSync } from 'node:fs'
import { findDebianMirror } from '@crewhall/services/debian-mirror.ts'
import { folderOfHost, noteFacts, readFacts, removeLeftHosts } from '@crewhall/testkit/hosts/host-folder.ts'
import { useHosts } from '@crewhall/testkit/hosts/test-host.ts'
import { expect, test } from 'vitest'

const hosts = useHosts()

test('a host is a Debian machine of its own: systemd, root, a plain user, and files that outlive a reboot', async () => {
  const host = await hosts.start()
  expect(await host.must('cat /proc/1/comm; id -un; hostname')).toBe(`systemd\nroot\n${host.id}`)
  expect(await host.must('id -un; id -Gn', { as: 'person' })).toBe('person\nperson')
  const refused = await host.run('touch /etc/made-by-person', { as: 'person' })
  expect(refused.code).toBe(1)
  expect((await host.run('sudo -n true', { as: 'person' })).code).toBe(1)

  const unit = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n'
  await host.must('cat > /etc/systemd/system/waiting.service; systemctl enable --now waiting', {
    input: unit,
  })
  // Of systemd itself: the service has the same process id after most boots.
  const started = 'systemctl show --property UserspaceTimestampMonotonic'
  const before = await host.must(started)
  await host.reboot()
  expect(await host.must('systemctl is-active waiting')).toBe('active')
  expect(await host.must(started)).not.toBe(before)
})

test('a host keeps what was written when its power is cut, and no other host has it', async () => {
  const [host, other] = await Promise.all([hosts.start(), hosts.start()])
  await host.must('echo kept > /root/file && sync')
  await host.cutPower()
  expect(() => host.run('true')).toThrow('is off')
  await host.boot()
  expect(await host.must('cat /root/file')).toBe('kept')
  expect((await other.run('cat /root/file')).code).toBe(1)
  expect(await other.must('cat /etc/machine-id')).not.toBe(await host.must('cat /etc/machine-id'))
})

test('a host reaches the machine that runs the tests, and the network behind it by name', async () => {
  const host = await hosts.start()
  await host.must(`ping -c 1 -W 2 ${host.gateway}`)
  expect(await host.must('ip -4 -o addr show eth0')).toContain(`${host.address}/24`)
  const release = new URL('dists/bookworm/Release', `${(await findDebianMirror()).replace(/\/$/, '')}/`)
  await host.must(`curl --silent --show-error --fail --max-time 20 --output /root/release '${release.href}'`)
  expect(await host.must('cat /root/release')).toContain('Codename: bookworm')
})

test('a host whose run has died is removed by the next one, and no other', async () => {
  const [left, kept] = await Promise.all([hosts.start(), hosts.start()])
  const facts = readFacts(left.id)
  noteFacts({ ...facts, owner: { ...facts.owner, started: '0' } })
  expect(await removeLeftHosts()).toBe(1)
  expect(existsSync(folderOfHost(left.id))).toBe(false)
  expect(existsSync(`/run/netns/${left.id}`)).toBe(false)
  expect(() => left.run('true')).toThrow('is off')
  expect(await kept.must('id -un')).toBe('root')
})
