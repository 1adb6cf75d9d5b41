import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BuildError } from './build-error.ts'

/** The purpose of the signature. `ssh-keygen -Y verify` needs the same. */
const namespace = 'file'
const magic = 'SSHSIG'
const keyType = 'ssh-ed25519'
const hashName = 'sha512'
/** The first bytes of the DER form of an Ed25519 public key. The rest is the key. */
const spkiPrefix_bytes = 12

/**
 * Signs bytes with an Ed25519 private key in PEM format, in the format that `ssh-keygen -Y verify` reads. The same
 * bytes and key give the same signature. `publicKey` is the line for the file of allowed signers.
 */
export function signBytes(bytes: Uint8Array, pem: string): { signature: string; publicKey: string } {
  const privateKey = parsePrivateKey(pem)
  const publicBlob = Buffer.concat([field(keyType), field(rawPublicKeyOf(privateKey))])
  const hash = new Bun.CryptoHasher(hashName).update(bytes).digest()
  const message = Buffer.concat([Buffer.from(magic), ...[namespace, '', hashName, hash].map(field)])
  const signatureBlob = Buffer.concat([field(keyType), field(sign(null, message, privateKey))])
  const version = Buffer.from([0, 0, 0, 1])
  const blob = Buffer.concat([
    Buffer.from(magic),
    version,
    ...[publicBlob, namespace, '', hashName, signatureBlob].map(field),
  ])
  return { signature: armored(blob), publicKey: `${keyType} ${publicBlob.toString('base64')}` }
}

/** Returns the signing key in a file, after a check that it is one. The build calls it before it starts. */
export function readSigningKey(file: string): string {
  const pem = readKeyFile(file)
  parsePrivateKey(pem)
  return pem
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new BuildError(`Cannot read the file of --sign-key: ${(error as Error).message}.`)
  }
}

function parsePrivateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // The error below says what is expected.
  }
  throw new BuildError(
    'The signing key is not an Ed25519 private key in PEM format. Create one with: openssl genpkey -algorithm ed25519 -out signing-key.pem',
  )
}

function rawPublicKeyOf(privateKey: KeyObject): Uint8Array {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).subarray(spkiPrefix_bytes)
}

/** Returns a value with its length before it, as SSH writes it. */
function field(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function armored(blob: Buffer): string {
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? []
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n')
}
