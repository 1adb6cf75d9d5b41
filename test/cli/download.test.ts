import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { downloadFile, type DownloadOptions } from '../../src/cli/download.ts'
import { UpstreamError } from '../../src/model/error.ts'
import { bulkFiles } from '../upstreams/bulk/bulk-file.ts'
import { openUpstreams, type Upstreams } from '../upstreams/upstreams.ts'
import { newFolder } from './fieldstone.ts'

const { folder, remove } = newFolder()
const file = Uint8Array.from({ length: 200_000 }, (_, i) => i % 251)
let upstreams: Upstreams
beforeAll(() => {
  upstreams = openUpstreams({ services: [bulkFiles('files.example.gov', { '/all.zip': () => file })] })
})
afterAll(() => {
  upstreams.close()
  remove()
})

const get = (name: string, more: Partial<DownloadOptions> = {}, url = 'https://files.example.gov/all.zip') =>
  downloadFile(url, join(folder, name), {
    mirror: upstreams.url,
    hosts: new Set(['files.example.gov']),
    userAgent: 'Mozilla/5.0 (compatible; test)',
    max_bytes: 1_000_000,
    idleTimeout_ms: 30_000,
    report() {},
    ...more,
  })
const faultOf = async (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof UpstreamError ? error.code : String(error)),
  )

test('a file arrives whole, and says how far it is', async () => {
  const told: number[] = []
  expect(await get('whole', { report: (done) => void told.push(done) })).toBe(true)
  expect(readFileSync(join(folder, 'whole')).equals(file)).toBe(true)
  expect([told.at(-1), existsSync(join(folder, 'whole.part'))]).toEqual([1, false])
})

test('a file that the host does not have is none', async () => {
  expect(await get('none', {}, 'https://files.example.gov/other.zip')).toBe(false)
  expect(existsSync(join(folder, 'none'))).toBe(false)
})

test('a host that says nothing is given up, before its first word and in the middle', async () => {
  upstreams.fault({ times: 1 }, 'hang')
  expect(await faultOf(get('silent', { idleTimeout_ms: 50 }))).toBe('timeout')
  upstreams.fault({ times: 1 }, 'drip')
  expect(await faultOf(get('dripping', { idleTimeout_ms: 1 }))).toBe('timeout')
  upstreams.heal()
})

test('a connection that breaks off is the fault of the host, and what came is kept for the next attempt', async () => {
  upstreams.fault({ times: 1 }, 'truncated')
  expect(await faultOf(get('halved'))).toBe('connection_failed')
  const held = readFileSync(join(folder, 'halved.part'))
  expect([held.length <= 100_000, held.equals(file.subarray(0, held.length))]).toEqual([true, true])
  const before = upstreams.calls.length
  expect(await get('halved')).toBe(true)
  expect([readFileSync(join(folder, 'halved')).equals(file), upstreams.calls.length - before]).toEqual([true, 1])
})

test('a file is asked for as it is, and one that comes compressed is refused', async () => {
  upstreams.fault({ times: 1 }, { encoding: 'gzip' })
  expect(await get('accepted')).toBe(true)
  expect(readFileSync(join(folder, 'accepted')).equals(file)).toBe(true)
  upstreams.fault({ times: 1 }, { encoding: 'br' })
  expect(await faultOf(get('compressed'))).toBe('bad_response')
  expect(existsSync(join(folder, 'compressed'))).toBe(false)
})

test('more than is downloaded at most, and a status that is none of a file, are refused', async () => {
  expect(await faultOf(get('much', { max_bytes: 1_000 }))).toContain(
    'has 200000 bytes. The download limit is 1000 bytes.',
  )
  upstreams.fault({ times: 1 }, { status: 503 })
  expect(await faultOf(get('busy'))).toBe('upstream_5xx')
})
