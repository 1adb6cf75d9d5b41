import { beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import about from '../../package.json' with { type: 'json' }
import { hostTarget } from '../../scripts/build/targets.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const build_max_ms = 300_000
const root = join(import.meta.dir, '..', '..')
const folder = temporaryFolder()
const release = join(folder, 'release')
const { version } = about
const system = hostTarget().name.replace('bun-', '')
const isLinux = process.platform === 'linux'
const mountInPrivate = ['unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', folder]
const canMount =
  isLinux && process.getuid?.() === 0 && Bun.which('unshare') !== null && Bun.spawnSync(mountInPrivate).exitCode === 0
const hasTools = (...names: string[]) => names.every((name) => Bun.which(name) !== null)
const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

function run(command: string[], env: Record<string, string> = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: folder, env: { ...process.env, ...env } })
  return { code: exitCode, out: stdout.toString(), err: stderr.toString() }
}

describe.skipIf(!isLinux)('a release of the target of this machine', () => {
  beforeAll(() => {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const words = ['--target', hostTarget().name, '--out', release, '--sign-key', join(folder, 'key.pem')]
    const { code, out, err } = run([process.execPath, '--no-env-file', join(root, 'scripts', 'release.ts'), ...words])
    if (code !== 0) throw new Error(`${out}${err}`)
    writeFileSync(join(folder, 'allowed_signers'), /allowed_signers: (.*)$/m.exec(out)![1]!)
  }, build_max_ms)

  test('SHA256SUMS has the sum of every other file', () => {
    const lines = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
    const sums = Object.fromEntries(lines.map((line) => line.split('  ').toReversed()))
    const files = readdirSync(release).filter((name) => !name.startsWith('SHA256SUMS'))
    expect(sums).toEqual(Object.fromEntries(files.map((name) => [name, sha256(readFileSync(join(release, name)))])))
    expect(files).toContain(`fieldstone-${version}-${system}.tar.gz`)
    expect(files).toContain(`fieldstone-${version}-${system}.cdx.json`)
  })

  test('the install script installs the executable from a folder and from a URL', async () => {
    const server = Bun.serve({
      port: 0,
      fetch: (request) => new Response(Bun.file(join(release, new URL(request.url).pathname))),
    })
    const script = join(release, 'install.sh')
    const fromUrl = Bun.spawn(['sh', script, `http://127.0.0.1:${server.port}`, join(folder, 'from-url')], {
      stdout: 'pipe',
    })
    expect(await fromUrl.stdout.text()).toContain(`Installed fieldstone ${version}`)
    await server.stop(true)
    expect(run(['sh', script, release, join(folder, 'from-folder')]).code).toBe(0)
    for (const name of ['from-url', 'from-folder'])
      expect(run([join(folder, name, 'fieldstone'), 'version']).out).toBe(`fieldstone ${version}\n`)
  })

  test('the install script installs nothing if the sum or the signature is wrong', () => {
    const changed = join(folder, 'changed')
    cpSync(release, changed, { recursive: true })
    const archive = join(changed, `fieldstone-${version}-${system}.tar.gz`)
    writeFileSync(archive, Buffer.concat([readFileSync(archive), Buffer.from('x')]))
    const to = join(folder, 'never')
    const wrongSum = run(['sh', join(changed, 'install.sh'), changed, to])
    expect([wrongSum.code, wrongSum.err]).toEqual([1, expect.stringContaining('does not have the sum in SHA256SUMS')])
    if (hasTools('ssh-keygen')) {
      const signed = { ALLOWED_SIGNERS: join(folder, 'allowed_signers') }
      expect(run(['sh', join(release, 'install.sh'), release, join(folder, 'signed')], signed).code).toBe(0)
      writeFileSync(join(changed, 'SHA256SUMS'), `${readFileSync(join(changed, 'SHA256SUMS'), 'utf8')}\n`)
      const wrongSignature = run(['sh', join(changed, 'install.sh'), changed, to], signed)
      expect(wrongSignature.code).toBe(1)
      expect(wrongSignature.err).toContain('signature of SHA256SUMS is not')
    }
    expect(existsSync(to)).toBe(false)
  })

  test.skipIf(!canMount || !hasTools('dpkg-deb', 'dpkg') || system !== 'linux-x64')(
    'the Debian package adds the user, the unit and the data folder; remove keeps the data, and purge deletes it (skipped without root, mounts and dpkg)',
    () => {
      const script = join(folder, 'package.sh')
      // The file system of this machine stays as it is: the changes go to a layer in memory.
      writeFileSync(
        script,
        `set -eu
mkdir '${folder}/layer' && mount -t tmpfs none '${folder}/layer' && cd '${folder}/layer' && mkdir upper work root
mount -t overlay none -o lowerdir=/,upperdir=upper,workdir=work root && mount -t proc none root/proc
cp '${release}/fieldstone_${version}_amd64.deb' root/tmp/package.deb
exec chroot root sh -euc '
dpkg -i /tmp/package.deb >/dev/null
fieldstone version
getent passwd fieldstone | cut -d: -f6-
stat -c "%a %U %n" /var/lib/fieldstone /etc/fieldstone/environment
grep -x "User=fieldstone\\|ExecStart=.*" /lib/systemd/system/fieldstone.service
echo kept >/var/lib/fieldstone/file
dpkg --remove fieldstone >/dev/null
cat /var/lib/fieldstone/file
ls /usr/bin/fieldstone /lib/systemd/system/fieldstone.service 2>&1 | grep -c "No such file"
dpkg --purge fieldstone >/dev/null
ls -d /var/lib/fieldstone /etc/fieldstone 2>&1 | grep -c "No such file"
getent passwd fieldstone || echo no user
'
`,
      )
      const { code, out, err } = run(['unshare', '--mount', 'sh', script])
      expect([code, code === 0 ? '' : err]).toEqual([0, ''])
      expect(out.trimEnd().split('\n')).toEqual([
        `fieldstone ${version}`,
        '/var/lib/fieldstone:/usr/sbin/nologin',
        '700 fieldstone /var/lib/fieldstone',
        '600 root /etc/fieldstone/environment',
        'ExecStart=/usr/bin/fieldstone serve',
        'User=fieldstone',
        'kept',
        '2',
        '2',
        'no user',
      ])
    },
  )

  describe('the image', () => {
    const image = join(folder, 'image')
    const read = <T>(name: string) => JSON.parse(readFileSync(join(image, name), 'utf8')) as T
    type Descriptor = { digest: string; size: number }
    const blob = ({ digest }: Descriptor) => `blobs/sha256/${digest.replace('sha256:', '')}`
    beforeAll(() => {
      mkdirSync(image)
      run(['tar', '-xf', join(release, `fieldstone-${version}-${system}.oci.tar`), '-C', image])
    })

    test('has blobs with the sizes and sums that its index and manifest say, and the same index for Docker', () => {
      const { manifests } = read<{ manifests: [Descriptor] }>('index.json')
      const manifest = read<{ config: Descriptor; layers: [Descriptor] }>(blob(manifests[0]))
      for (const it of [manifests[0], manifest.config, ...manifest.layers]) {
        const bytes = readFileSync(join(image, blob(it)))
        expect([it.size, it.digest]).toEqual([bytes.length, `sha256:${sha256(bytes)}`])
      }
      expect(read('manifest.json')).toEqual([
        { Config: blob(manifest.config), RepoTags: [`fieldstone:${version}`], Layers: [blob(manifest.layers[0])] },
      ])
      expect(read<{ rootfs: object }>(blob(manifest.config)).rootfs).toEqual({
        type: 'layers',
        diff_ids: [manifest.layers[0].digest],
      })
    })

    test.skipIf(!canMount)(
      'answers as its own user in its own files, which have no shell (skipped without root and mounts)',
      () => {
        const files = join(folder, 'files')
        mkdirSync(files)
        const [{ Layers: layers }] = read<[{ Layers: [string] }]>('manifest.json')
        run(['tar', '-xf', join(image, layers[0]), '-C', files])
        expect(existsSync(join(files, 'bin', 'sh'))).toBe(false)
        const script = `mkdir proc && mount -t proc none proc && exec chroot --userspec=65532:65532 . /usr/local/bin/fieldstone fetch --at 39.7392,-104.9903 --fields county`
        const answer = run(['unshare', '--mount', 'sh', '-euc', `cd '${files}'; ${script}`], {
          FIELDSTONE_DATA: '/data',
          FIELDSTONE_OFFLINE: '1',
        })
        expect([answer.code, answer.err]).toEqual([0, ''])
        expect(JSON.parse(answer.out)).toMatchObject({ fields: { county: { value: 'Denver County' } } })
      },
    )
  })
})
