import { describe, expect, test } from 'bun:test'
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signBytes } from '../../scripts/build/sign.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
const sums = new TextEncoder().encode('0123  fieldstone\n4567  fieldstone.1\n')

/** Reads the fields of an SSH blob from an offset. */
function fieldsFrom(blob: Buffer, offset: number): Buffer[] {
  const fields: Buffer[] = []
  for (let at = offset; at < blob.length;) {
    const length = blob.readUInt32BE(at)
    fields.push(blob.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return fields
}

test('a signature has the SSHSIG format, is valid for its key, and is the same each time', () => {
  const { signature, publicKey: line } = signBytes(sums, pem)
  expect(signBytes(sums, pem).signature).toBe(signature)
  const [begin, ...rest] = signature.trimEnd().split('\n')
  expect([begin, rest.pop()]).toEqual(['-----BEGIN SSH SIGNATURE-----', '-----END SSH SIGNATURE-----'])
  const blob = Buffer.from(rest.join(''), 'base64')
  expect([blob.toString('latin1', 0, 6), blob.readUInt32BE(6)]).toEqual(['SSHSIG', 1])
  const [publicBlob, namespace, reserved, hashName, signed] = fieldsFrom(blob, 10)
  expect([namespace, reserved, hashName].map(String)).toEqual(['file', '', 'sha512'])
  expect(line).toBe(`ssh-ed25519 ${publicBlob!.toString('base64')}`)
  const [, rawKey] = fieldsFrom(publicBlob!, 0)
  expect(rawKey).toEqual(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'))
  const hash = new Bun.CryptoHasher('sha512').update(sums).digest()
  const length = (size: number) => Buffer.from([0, 0, 0, size])
  const message = Buffer.concat([
    Buffer.from('SSHSIG'),
    length(4),
    Buffer.from('file'),
    length(0),
    length(6),
    Buffer.from('sha512'),
    length(64),
    hash,
  ])
  const [, raw] = fieldsFrom(signed!, 0)
  expect(verify(null, message, createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), raw!)).toBe(true)
})

describe.skipIf(Bun.which('ssh-keygen') === null)('ssh-keygen', () => {
  const isAccepted = (bytes: Uint8Array) => {
    const { signature, publicKey: line } = signBytes(sums, pem)
    writeFileSync(join(folder, 'SHA256SUMS.sig'), signature)
    writeFileSync(join(folder, 'allowed_signers'), `fieldstone ${line}\n`)
    const words = ['-f', 'allowed_signers', '-I', 'fieldstone', '-n', 'file', '-s', 'SHA256SUMS.sig']
    return Bun.spawnSync(['ssh-keygen', '-Y', 'verify', ...words], { cwd: folder, stdin: bytes }).exitCode === 0
  }

  test('accepts the signature of these bytes and rejects it for others', () => {
    expect([isAccepted(sums), isAccepted(new TextEncoder().encode('89ab  fieldstone\n'))]).toEqual([true, false])
  })
})

test('the build does not start with a key file that is missing or has no key, and says why', async () => {
  const build = join(import.meta.dir, '..', '..', 'scripts', 'build.ts')
  const outcomeWith = async (file: string) => {
    const child = Bun.spawn(
      [process.execPath, '--no-env-file', build, '--out', join(folder, 'out'), '--sign-key', file],
      { stdout: 'ignore', stderr: 'pipe' },
    )
    return [await new Response(child.stderr).text(), await child.exited, existsSync(join(folder, 'out'))]
  }
  writeFileSync(join(folder, 'text.pem'), 'a key')
  expect(await outcomeWith(join(folder, 'nowhere.pem'))).toEqual([
    expect.stringMatching(/^Cannot read the file of --sign-key: .*nowhere\.pem/),
    1,
    false,
  ])
  expect(await outcomeWith(join(folder, 'text.pem'))).toEqual([
    expect.stringMatching(/^The signing key is not an Ed25519 private key in PEM format/),
    1,
    false,
  ])
})

test.each([
  ['no key', ''],
  ['text', 'a key'],
  [
    'an RSA key',
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  ],
  ['a public key', publicKey.export({ type: 'spki', format: 'pem' })],
])('%s is refused with how to create one', (_name, text) => {
  expect(() => signBytes(sums, text)).toThrow(
    'The signing key is not an Ed25519 private key in PEM format. Create one with: openssl genpkey -algorithm ed25519 -out signing-key.pem',
  )
})
