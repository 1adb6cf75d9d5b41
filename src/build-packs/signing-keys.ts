import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { BackupError } from '../backup/backup-error.ts'
import { replaceFile } from '../files/small-files.ts'
import { tryParseJson } from '../model/record.ts'

const keyFile = 'pack-key.pem'
const trustedFile = 'trusted-keys.json'

const TrustedKeys = Type.Array(Type.Object({ key: Type.String(), name: Type.String(), added_at: Type.String() }))
/** A public key whose archives may be imported, with the name that the operator gave it. */
export type TrustedKey = Static<typeof TrustedKeys>[number]

/** The Ed25519 key of this data folder. */
export type SigningKey = { publicKey: string; sign(bytes: Uint8Array): string }

/** Opens the key of the data folder, and creates it if it does not exist. Only its owner can read the file. */
export function openSigningKey(data: string): SigningKey {
  const path = join(data, keyFile)
  if (!existsSync(path)) {
    mkdirSync(data, { recursive: true, mode: 0o700 })
    const { privateKey } = generateKeyPairSync('ed25519')
    replaceFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flush: true })
  }
  const key = readKeyFile(path)
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  return { publicKey: `${prefix}${x}`, sign: (bytes) => sign(null, bytes, key).toString('base64url') }
}

/** Whether this is the public key of the data folder. */
export function isOwnKey(data: string, publicKey: string): boolean {
  return existsSync(join(data, keyFile)) && openSigningKey(data).publicKey === publicKey
}

/** Whether a signature is valid. False for a text that is no signature. @throws {BackupError} for an invalid key. */
export function verifySignature(bytes: Uint8Array, signature: string, publicKey: string): boolean {
  return verify(null, bytes, parsePublicKey(publicKey), Buffer.from(signature, 'base64url'))
}

/** The keys that the operator trusts. */
export function readTrustedKeys(data: string): TrustedKey[] {
  const path = join(data, trustedFile)
  if (!existsSync(path)) return []
  const keys = tryParseJson(readFileSync(path, 'utf8'))
  if (!Value.Check(TrustedKeys, keys))
    throw new BackupError(`${path} is damaged. Remove it, and add the keys again with \`fieldstone pack key add\`.`)
  return keys
}

/** Trusts a public key. A key that is trusted already gets the new name. @throws {BackupError} for an invalid key. */
export function addTrustedKey(data: string, key: string, name: string): void {
  parsePublicKey(key)
  const others = readTrustedKeys(data).filter((it) => it.key !== key)
  writeTrustedKeys(data, [...others, { key, name, added_at: new Date().toISOString() }])
}

/** Stops trusting the key with this text or name. Returns it; null if there is none. */
export function removeTrustedKey(data: string, word: string): TrustedKey | null {
  const keys = readTrustedKeys(data)
  const removed = keys.find(({ key, name }) => key === word || name === word) ?? null
  if (removed)
    writeTrustedKeys(
      data,
      keys.filter((it) => it !== removed),
    )
  return removed
}

const prefix = 'ed25519:'

function parsePublicKey(text: string): KeyObject {
  const x = text.startsWith(prefix) ? text.slice(prefix.length) : ''
  if (Buffer.from(x, 'base64url').length !== 32)
    throw new BackupError(
      `${JSON.stringify(text)} is not a public key. Use the text that \`fieldstone pack key\` prints on the machine that exports, such as ${prefix}….`,
    )
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

function readKeyFile(path: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(path))
  } catch (cause) {
    throw new BackupError(
      `${path} cannot be read as a private key: ${(cause as Error).message}. Restore it from a copy, or remove it: the next export then creates a new key.`,
      { cause },
    )
  }
}

function writeTrustedKeys(data: string, keys: readonly TrustedKey[]): void {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  replaceFile(join(data, trustedFile), `${JSON.stringify(keys, null, 2)}\n`, { flush: true })
}
