import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerCertificate } from './postgres-server.ts'

/** Whether this machine has OpenSSL. Tests that make certificates are skipped where it is missing. */
export const hasOpenssl = Bun.which('openssl') !== null
if (!hasOpenssl) console.warn('Tests with certificates are skipped, because openssl is missing.')

/** A certificate authority of the tests. */
export type TestAuthority = {
  /** The file with its certificate. */
  file: string
  /** Makes a certificate for a host name. */
  certify(hostname: string): ServerCertificate
  remove(): void
}

/** Makes a certificate authority with OpenSSL. */
export function createAuthority(): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-ca-'))
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    folder,
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
  )
  return {
    file: join(folder, 'ca.crt'),
    certify(hostname) {
      writeFileSync(join(folder, 'server.ext'), `subjectAltName=DNS:${hostname}`)
      openssl(folder, 'req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', `/CN=${hostname}`)
      const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2']
      openssl(folder, 'x509', '-req', '-in', 'server.csr', ...authority, '-extfile', 'server.ext', '-out', 'server.crt')
      const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')
      return { certificate: textOf('server.crt'), key: textOf('server.key') }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function openssl(folder: string, ...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...words], { cwd: folder })
  if (exitCode !== 0) throw new Error(`openssl ${words[0]} failed: ${stderr.toString()}`)
}
