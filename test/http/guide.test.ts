import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createHttpServer } from '../../src/http/server.ts'
import { apiCodes, upstreamCodes } from '../../src/model/error.ts'
import { guidePageNames } from '../../src/web/guide/pages.ts'
import { openTestService } from '../support/test-service.ts'

const service = openTestService()
afterAll(service.close)

/** Requests without a token. */
const get = (path: string, init: RequestInit = {}) =>
  service.send(path, { ...init, headers: { authorization: '', ...(init.headers as Record<string, string>) } })
const htmlOf = async (path: string) => (await get(path)).text()
const idsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!))

describe('a page of the guide', () => {
  test.each(guidePageNames)('%s answers as HTML without a token, with the list of all pages', async (name) => {
    const response = await get(`/guide/${name}`)
    const html = await response.text()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    for (const other of guidePageNames) expect(html).toContain(`href="/guide/${other}"`)
    expect(html).toContain(`href="/guide/${name}" aria-current="page"`)
  })

  test.each(guidePageNames)('%s has an anchor on each heading, and every heading in its own list', async (name) => {
    const html = await htmlOf(`/guide/${name}`)
    const headings = [...html.matchAll(/<h[23] id="([^"]+)">/g)].map(([, id]) => id!)
    expect(headings.length).toBeGreaterThan(1)
    expect(idsIn(html).size).toBe([...html.matchAll(/ id="/g)].length)
    const side = html.slice(html.indexOf('aria-label="On this page"'))
    for (const id of headings) {
      expect(html).toContain(`<a class="anchor" href="#${id}"`)
      expect(side).toContain(`href="#${id}"`)
    }
  })

  test.each(guidePageNames)('%s links only to pages and anchors that exist', async (name) => {
    const html = await htmlOf(`/guide/${name}`)
    const broken: string[] = []
    for (const [, page = name, anchor] of html.matchAll(/href="(?:\/guide\/([\w.-]+))?(?:#([^"]+))?"/g)) {
      const target = await get(`/guide/${page}`)
      if (target.status !== 200 || (anchor && !idsIn(await target.text()).has(anchor))) broken.push(`${page}#${anchor}`)
    }
    expect(broken).toEqual([])
  })

  test.each(guidePageNames)('%s answers as Markdown too', async (name) => {
    const response = await get(`/guide/${name}.md`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(await response.text()).toBe(await Bun.file(`${import.meta.dir}/../../src/web/guide/${name}.md`).text())
  })

  test('has no script, and a policy that allows only its own style', async () => {
    const response = await get('/guide/runs')
    const policy = response.headers.get('content-security-policy')!
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    const html = await response.text()
    expect(html).not.toMatch(/<script|\son\w+=|javascript:/)
    const [, style] = /<style>([^]*)<\/style>/.exec(html)!
    expect(policy).toContain(new Bun.CryptoHasher('sha256').update(style!).digest('base64'))
    expect(response.headers.get('x-frame-options')).toBe('DENY')
  })

  test('shows no mark of a generated part and no escaped tag', async () => {
    for (const name of guidePageNames) expect(await htmlOf(`/guide/${name}`)).not.toMatch(/&lt;!--|&lt;\/\w+&gt;/)
  })

  test('answers HEAD with the same headers and no body', async () => {
    const response = await get('/guide/runs', { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toBe('')
  })

  test('is not sent again to a client that has it', async () => {
    const etag = (await get('/guide/runs')).headers.get('etag')!
    expect((await get('/guide/runs', { headers: { 'if-none-match': etag } })).status).toBe(304)
  })
})

describe('the guide', () => {
  test('begins with its contents', async () => {
    const response = await get('/guide')
    expect(response.status).toBe(200)
    const html = await response.text()
    for (const name of guidePageNames) expect(html).toContain(`href="/guide/${name}"`)
  })

  test.each(['/guide/nothing', '/guide/nothing.md', '/guide/__proto__', '/guide/runs/nothing'])(
    'answers %s with a 404 page that links to the contents',
    async (path) => {
      const response = await get(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(await response.text()).toContain('href="/guide"')
    },
  )

  test('ignores a slash at the end, also over a socket, where Elysia routes differently', async () => {
    const http = createHttpServer(service.app).listen({ hostname: '127.0.0.1', port: 0 })
    const overSocket = (path: string) => fetch(`http://127.0.0.1:${http.server!.port}${path}`, { redirect: 'manual' })
    try {
      const contents = await (await get('/guide')).text()
      for (const response of [await overSocket('/guide'), await get('/guide/'), await overSocket('/guide/')])
        expect([response.status, await response.text()]).toEqual([200, contents])
    } finally {
      await http.stop(true)
    }
  })

  test('takes no other method', async () => expect((await get('/guide/runs', { method: 'POST' })).status).toBe(405))
})

describe('a link from a message or a setting to the guide', () => {
  const codes = [...new Set([...Object.keys(apiCodes), ...Object.keys(upstreamCodes)])]
  test('leads to an anchor for each error code', async () => {
    const ids = idsIn(await htmlOf('/guide/errors'))
    expect(codes.filter((code) => !ids.has(code))).toEqual([])
  })

  test('leads to a page and an anchor that exist', async () => {
    const root = join(import.meta.dir, '../../src')
    const links = new Set<string>()
    for (const file of new Bun.Glob('**/*.{ts,tsx}').scanSync(root))
      for (const [link] of (await Bun.file(join(root, file)).text()).matchAll(
        /\/guide\/[a-z][a-z-]*(?:#[a-z][\w-]*)?/g,
      ))
        if (!link.endsWith('/pages')) links.add(link)
    expect(links.size).toBeGreaterThan(5)
    const broken: string[] = []
    for (const link of links) {
      const [path, anchor] = link.split('#')
      const response = await get(path!)
      if (response.status !== 200 || (anchor && !idsIn(await response.text()).has(anchor))) broken.push(link)
    }
    expect(broken).toEqual([])
  })
})

describe('the search of the guide', () => {
  const linksOf = (html: string) =>
    [...html.slice(html.indexOf('class="results"')).matchAll(/<a href="\/guide\/([^"]+)">/g)].map(([, link]) => link!)
  const search = (words: string) => htmlOf(`/guide?q=${encodeURIComponent(words)}`)

  test.each([
    ['back up', 'operate#back-up-and-restore'],
    ['exit codes', 'operate#exit-codes'],
    ['FIELDSTONE_TRUSTED_PROXIES', 'operate#put-it-behind-a-proxy'],
    ['vulnerability', 'security#report-a-vulnerability'],
    ['epa_ecoregions_l3', 'packs-and-offline#download-a-pack'],
    ['scopes', 'access#scopes'],
    ['circuits breakers', 'errors#errors-of-a-field'],
  ])('for "%s" finds %s', async (words, link) => expect(linksOf(await search(words))).toContain(link))

  test('marks the words, and links to the section', async () => {
    expect(await search('geodesic')).toMatch(/packs-and-offline#geometry-rules">[^]*<mark>geodesic<\/mark>/)
  })

  test('finds words by their beginning and in any case, first those that begin a heading', async () => {
    expect(linksOf(await search('scope'))[0]).toBe('access#scopes')
    expect(linksOf(await search('VULNERAB'))).toContain('security#report-a-vulnerability')
  })

  test('says when it finds nothing, and shows the contents', async () => {
    const html = await search('zzzz')
    expect(html).toContain('No section of the guide has these words')
    expect(html).toContain('href="/guide/start"')
  })

  test('shows what was searched for as text', async () => {
    const html = await search('<img src=x onerror=alert(1)>"')
    expect(html).not.toContain('<img')
    expect(html).toContain('value="&lt;img src=x onerror=alert(1)&gt;&quot;"')
  })

  test.each(['', ' ', '%', '"'.repeat(10_000), 'a '.repeat(10_000)])('answers any words', async (words) => {
    expect((await get(`/guide?q=${encodeURIComponent(words)}`)).status).toBe(200)
  })
})
