import { afterAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { pagePaths } from '../../src/web/paths.ts'
import { openTestService } from '../support/test-service.ts'

const service = openTestService()
afterAll(service.close)
const open = (path: string, headers: Record<string, string> = {}, from = service) =>
  from.send(path, { headers: { authorization: '', ...headers } })

const maxFirstLoad_bytes = 350_000
const html = await (await open('/')).text()
const assets = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)

test.each(pagePaths.map((path) => path.replace(/:\w+/g, 'x')))(
  'at %s is the dashboard, without signing in',
  async (path) => {
    const response = await open(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await response.text()).toBe(html)
  },
)

test.each(['/nothing', '/ask/more', '/runs/a/b', '/assets/', '/v1/nothing'])('at %s is nothing', async (path) => {
  expect((await service.send(path)).status).toBe(404)
})

describe('the document', () => {
  test('loads nothing from other hosts and has no inline script or style', () => {
    expect(assets.length).toBe(2)
    expect(html).not.toMatch(/https?:|<style|<script(?! type="module" src="\/assets\/)|\son\w+=|\sstyle=/)
  })

  test('has a policy against inline scripts, markup from text, and framing', async () => {
    const { headers } = await open('/')
    const policy = Object.fromEntries(
      headers
        .get('content-security-policy')!
        .split('; ')
        .map((it) => [it.split(' ')[0], it.split(' ').slice(1).join(' ')]),
    )
    expect(policy).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data: blob:",
      'connect-src': "'self'",
      'worker-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': 'default',
    })
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('same-origin')
  })

  test('is revalidated on each request, and not sent again while unchanged', async () => {
    const first = await open('/')
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const second = await open('/ask', { 'if-none-match': first.headers.get('etag')! })
    expect([second.status, await second.text()]).toEqual([304, ''])
  })

  test('names the configured tiles, and its policy allows only their host', async () => {
    await using tiled = openTestService({ FIELDSTONE_TILES: 'https://tiles.example/{z}/{x}/{y}.png?a="b"' })
    const response = await open('/', {}, tiled)
    expect(response.headers.get('content-security-policy')).toContain(
      "img-src 'self' data: blob: https://tiles.example; connect-src 'self' https://tiles.example;",
    )
    expect(await response.text()).toContain(
      '<meta name="fieldstone-tiles" content="https://tiles.example/{z}/{x}/{y}.png?a=&quot;b&quot;">',
    )
  })

  test('an invalid tile template is rejected at start', () => {
    expect(() => openTestService({ FIELDSTONE_TILES: 'https://tiles.example/' })).toThrow('FIELDSTONE_TILES')
  })
})

describe('its files', () => {
  test.each(assets)('%s is cached forever and compressed as the browser accepts', async (path) => {
    const plain = await open(path)
    const [type, text] = [plain.headers.get('content-type')!, await plain.text()]
    expect(type).toBe(path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8')
    for (const [coding, unpack] of [
      ['gzip', Bun.gunzipSync],
      ['zstd', Bun.zstdDecompressSync],
    ] as const) {
      const packed = await open(path, { 'accept-encoding': coding })
      expect(packed.status).toBe(200)
      expect(packed.headers.get('content-encoding')).toEqual(coding)
      expect(packed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(packed.headers.get('vary')).toBe('accept-encoding')
      expect(new TextDecoder().decode(unpack(new Uint8Array(await packed.arrayBuffer())))).toBe(text)
    }
  })

  test('an unknown one, a compressed one by its own name, the document by that of a file, and a path out of the folder are not there', async () => {
    for (const path of [
      '/assets/main-00000000.js',
      `${assets[0]}.zst`,
      '/assets/guide.json',
      '/assets/guide',
      '/assets/index.html',
      '/assets/embedded.bin',
      '/assets/embedded.bin.zst',
      '/assets/..%2findex.html',
      '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    ])
      expect((await open(path)).status).toBe(404)
  })

  test('everything loaded before the map is below 350 kB in gzip', async () => {
    const folder = `${import.meta.dir}/../../dist/web`
    const names = [...new Bun.Glob('*.zst').scanSync(folder)].filter(
      (it) => !/maplibre|draw-map|base-|guide|swagger/.test(it),
    )
    const unpackedOf = async (name: string) => Bun.zstdDecompressSync(await Bun.file(`${folder}/${name}`).bytes())
    const sizes = await Promise.all(names.map(async (name) => gzipSync(await unpackedOf(name)).length))
    expect(sizes.length).toBeGreaterThan(3)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(maxFirstLoad_bytes)
  })
})

test('the dashboard is built again when a file outside its folder changes that it consists of', async () => {
  const [, ...inputs] = (await Bun.file(`${import.meta.dir}/../../dist/web.key`).text()).split('\n')
  for (const file of ['catalog/labels.ts', 'src/runs/upload/upload-row.ts', 'src/web/main.tsx'])
    expect(inputs).toContain(file)
})
