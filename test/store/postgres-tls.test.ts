import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connectDatabaseState } from '../../src/app-database.ts'
import { readDatabaseLocation } from '../../src/store/postgres/database-location.ts'
import { createAuthority, hasOpenssl, type TestAuthority } from '../support/certificates.ts'
import { hasPostgres, startPostgres, startsPostgres_ms, type PostgresServer } from '../support/postgres-server.ts'

describe.skipIf(!hasPostgres || !hasOpenssl)('sslmode=verify-full (needs initdb and openssl)', () => {
  let authority: TestAuthority
  let foreign: TestAuthority
  let server: PostgresServer
  let url: string
  beforeAll(async () => {
    authority = createAuthority()
    foreign = createAuthority()
    server = await startPostgres({ tls: authority.certify('localhost') })
    url = (await server.createDatabase()).replace('127.0.0.1', 'localhost')
  }, startsPostgres_ms)
  afterAll(async () => {
    await server.stop()
    authority.remove()
    foreign.remove()
  })

  /** Connects to a database. Returns the error, or null if it answers. */
  async function errorOf(database: string, parameters: string): Promise<string | null> {
    const read = readDatabaseLocation('FIELDSTONE_DATABASE', `${database}?${parameters}`)
    if ('problem' in read) throw new Error(read.problem)
    try {
      const state = await connectDatabaseState(read.location)
      expect(await state.isReadable()).toBe(true)
      state.close()
      return null
    } catch (error) {
      return String(error)
    }
  }

  test('connects with the authority of the server', async () => {
    expect(await errorOf(url, `sslmode=verify-full&sslrootcert=${authority.file}`)).toBeNull()
  })

  test.each(['another authority', 'no authority'])('refuses with %s, and says why', async (which) => {
    const parameter = which === 'no authority' ? '' : `&sslrootcert=${foreign.file}`
    expect(await errorOf(url, `sslmode=verify-full${parameter}`)).toMatch(
      /^Error: Cannot use the PostgreSQL database postgres:\/\/localhost:\d+\/test_1: The certificate of the server is not signed by an authority that this machine trusts \(.+\)\. Name the file of its authority with sslrootcert in FIELDSTONE_DATABASE\.$/,
    )
  })

  test('refuses another host name, and says why', async () => {
    const other = url.replace('localhost', '127.0.0.1')
    expect(await errorOf(other, `sslmode=verify-full&sslrootcert=${authority.file}`)).toContain(
      'The certificate of the server is for another host name. Write a host name of the certificate in FIELDSTONE_DATABASE.',
    )
    expect(await errorOf(other, `sslmode=verify-ca&sslrootcert=${authority.file}`)).toBeNull()
  })

  test('refuses a server without TLS', async () => {
    // This is how PostgreSQL answers a request for TLS that it does not have.
    const plain = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (socket) => void socket.write('N') } })
    expect(await errorOf(`postgres://localhost:${plain.port}/test_1`, 'sslmode=verify-full')).toContain(
      'The server has no TLS. Turn it on there (ssl = on), or change sslmode in FIELDSTONE_DATABASE.',
    )
    plain.stop(true)
  })

  test('names a file of certificates that does not exist', async () => {
    expect(await errorOf(url, 'sslmode=verify-full&sslrootcert=/nowhere/ca.crt')).toContain(
      'The file of sslrootcert in FIELDSTONE_DATABASE cannot be read.',
    )
  })
})
