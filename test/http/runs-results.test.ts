import { afterAll, describe, expect, test } from 'bun:test'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { usesPostgres } from '../support/test-state.ts'

const service = await openHttpService()
afterAll(service.close)

type Entry = { index: number; ok: boolean }
type Page = { items: Entry[]; next_cursor: string | null }
type Document = {
  run_id: string
  status: string
  progress: { total: number; ok: number; failed: number }
  links: Record<string, string>
  result: { results: Entry[] }
}

/** Every third location is outside the US, so that its entry is failed. */
const locations = Array.from({ length: 250 }, (_, i) =>
  i % 3 === 2 ? { lat: 0, lng: 0 } : { lat: 39 + i / 250, lng: -105 },
)
const submit = async (count: number) =>
  (await (
    await service.post(
      '/v1/runs',
      { kind: 'fetch_batch', request: { locations: locations.slice(0, count), fields: ['county'] } },
      { prefer: 'wait=30' },
    )
  ).json()) as Document
const run = await submit(250)
const small = await submit(5)

const pageOf = async (query: string, { run_id } = run) =>
  (await (await service.ask(`/v1/runs/${run_id}/results${query}`)).json()) as Page

/** Follows next_cursor to the end. */
async function allPages(query: string, of = run): Promise<Page[]> {
  const pages = [await pageOf(query, of)]
  for (let { next_cursor } = pages[0]!; next_cursor !== null; next_cursor = pages.at(-1)!.next_cursor)
    pages.push(await pageOf(`${query}&cursor=${next_cursor}`, of))
  return pages
}

/** Changes the stored run, as a worker of a later epoch would. */
const changeRun = ({ run_id }: Document, statement: string) => service.testService.state.query(statement, run_id)
const deleteFrom3 = 'DELETE FROM run_results WHERE idx >= 3 AND run = (SELECT number FROM runs WHERE id = ?)'

describe('the pages of the results', () => {
  test('have the entries of the run document, each once, in order', async () => {
    for (const limit of [1000, 250, 249, 101, 60])
      expect((await allPages(`?limit=${limit}`)).flatMap(({ items }) => items)).toEqual(run.result.results)
  })

  test('have at most limit entries, 100 by default, and next_cursor is null on the last page only', async () => {
    expect((await allPages('?limit=100')).map(({ items }) => items.length)).toEqual([100, 100, 50])
    expect((await allPages('?limit=125')).map(({ items }) => items.length)).toEqual([125, 125])
    const first = await pageOf('')
    expect([first.items.length, typeof first.next_cursor]).toEqual([100, 'string'])
    expect(await pageOf('?cursor=249')).toEqual({ items: [], next_cursor: null })
  })

  test.each(['ok', 'failed'] as const)(
    'with status=%s have those entries, as many as progress says',
    async (status) => {
      const found = (await allPages(`?status=${status}&limit=40`)).flatMap(({ items }) => items)
      expect(found).toEqual(run.result.results.filter(({ ok }) => ok === (status === 'ok')))
      expect(found).toHaveLength(run.progress[status])
    },
  )

  test('are linked by the run, its document and the list', async () => {
    const { items } = (await (await service.ask('/v1/runs')).json()) as { items: Document[] }
    for (const { links } of [run, items.find(({ run_id }) => run_id === run.run_id)!])
      expect(links.results).toBe(`/v1/runs/${run.run_id}/results`)
  })

  test('are not sent for an invalid query: every violation is listed at once', async () => {
    const response = await service.ask(`/v1/runs/${run.run_id}/results?limit=1001&cursor=x&status=absent`)
    expect(response.status).toBe(422)
    const { detail } = (await response.json()) as { detail: { type: string; loc: string[] }[] }
    expect(detail.map(({ type, loc }) => [type, loc.join('.')])).toEqual([
      ['less_than_equal', 'query.limit'],
      ['value_error', 'query.cursor'],
      ['literal_error', 'query.status'],
    ])
  })

  test.each(['0', '1001', '-1', '1.5', 'x', '', '00001'])('are not sent for limit=%s', async (limit) =>
    expect((await service.ask(`/v1/runs/${run.run_id}/results?limit=${limit}`)).status).toBe(422),
  )
})

describe('one entry', () => {
  test('is the entry of the run document with that index', async () => {
    for (const index of [0, 2, 249]) {
      const response = await service.ask(`/v1/runs/${run.run_id}/results/${index}`)
      expect(await response.json()).toEqual(run.result.results[index])
    }
  })

  test.each(['250', '-1', 'x', '1.5', '99999999999'])('is not found for the index %s', async (index) => {
    const response = await service.ask(`/v1/runs/${run.run_id}/results/${index}`)
    expect([response.status, (await detailOf(response)).error]).toEqual([404, 'not_found'])
  })
})

describe('the summary of a run', () => {
  test('is its document without request and result, as in the list', async () => {
    const summary = (await (await service.ask(`/v1/runs/${run.run_id}?view=summary`)).json()) as Document
    const { items } = (await (await service.ask('/v1/runs')).json()) as { items: Document[] }
    expect(summary).toEqual(items.find(({ run_id }) => run_id === run.run_id)!)
    expect(Object.keys(run)).toEqual([...Object.keys(summary), 'request', 'result'])
  })

  test('is the only view', async () => expect((await service.ask(`/v1/runs/${run.run_id}?view=full`)).status).toBe(422))
})

describe('results', () => {
  test('need the scope runs', async () => {
    const { access, accounts } = service.testService.app
    const owner = await accounts.authenticate(`Bearer ${service.testService.token}`)
    const { token } = await access.tokens.create(owner, { name: 'no runs', scopes: ['fetch'] })
    for (const path of ['results', 'results/0'])
      expect(
        (await service.ask(`/v1/runs/${run.run_id}/${path}`, { headers: { authorization: `Bearer ${token}` } })).status,
      ).toBe(403)
  })

  test('of an unknown and of a foreign run have the same 404 as the run itself, byte for byte', async () => {
    const { access } = service.testService.app
    const account = (await access.users.invitedAccount((await access.users.invite('stranger', ['runs']))!))!
    const headers = {
      authorization: `Bearer ${(await access.tokens.create(account, { name: 'x', scopes: ['runs'] })).token}`,
    }
    const unknown = `run_${'0'.repeat(26)}`
    const paths = [run.run_id, unknown].flatMap((id) =>
      ['', '/results', '/results/0'].map((it) => `/v1/runs/${id}${it}`),
    )
    const responses = await Promise.all(paths.map((path) => service.ask(path, { headers })))
    const bodies = await Promise.all(responses.map((response) => response.text()))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404]))
    expect(new Set(bodies).size).toBe(1)
  })

  // In PostgreSQL, the entries of a run are in blocks, and SQL cannot delete one of them.
  test.skipIf(usesPostgres)(
    'of a running run: an answered entry is available, a page is not, and neither is an entry without an answer',
    async () => {
      await changeRun(small, "UPDATE runs SET status = 'running', finished_at = NULL, epoch = 1000000 WHERE id = ?")
      await changeRun(small, deleteFrom3)
      const path = `/v1/runs/${small.run_id}/results`
      expect(await (await service.ask(`${path}/0`)).json()).toEqual(small.result.results[0])
      for (const it of [path, `${path}/3`]) {
        const response = await service.ask(it)
        expect(response.status).toBe(409)
        expect(await detailOf(response)).toMatchObject({ error: 'run_not_ready', retryable: false, status: 'running' })
      }
    },
  )

  test.skipIf(usesPostgres)('of a failed run are the entries that were answered before it failed', async () => {
    await changeRun(small, "UPDATE runs SET status = 'failed', finished_at = 1 WHERE id = ?")
    // The worker of this service may have answered them again while the run was running.
    await changeRun(small, deleteFrom3)
    expect(await pageOf('', small)).toEqual({ items: small.result.results.slice(0, 3), next_cursor: null })
    const response = await service.ask(`/v1/runs/${small.run_id}/results/3`)
    expect([response.status, (await detailOf(response)).error]).toEqual([404, 'not_found'])
    expect(await detailOf(await service.ask(`/v1/runs/${small.run_id}/artifacts/csv`))).toMatchObject({
      error: 'run_failed',
      message: 'This run failed, so it has no artifacts. Submit its locations again.',
    })
  })
})

describe('the document of a run', () => {
  test('names its pages in a Link header when it has more entries than a page', async () => {
    const linkOf = async ({ run_id }: Document, query = '') =>
      (await service.ask(`/v1/runs/${run_id}${query}`)).headers.get('link')
    expect(await linkOf(run)).toBe(`<${run.links.results}>; rel="alternate"; title="The entries in pages"`)
    expect([await linkOf(small), await linkOf(run, '?view=summary')]).toEqual([null, null])
  })

  test('is read in groups of about 32 KB, so that a client that stops reading occupies little memory', async () => {
    const { reader } = service.testService.app.runs
    const { number, total } = (await reader.find(run.run_id, 'owner'))!
    const sizes: number[] = []
    let rows = 0
    for (let from = 0; from < total;) {
      const group = (await reader.readResults(number, { from, limit: total, ok: null }, ','))!
      sizes.push(group.bytes.length)
      rows += group.rows
      from = group.last + 1
    }
    const longest = Math.max(...run.result.results.map((entry) => JSON.stringify(entry).length))
    expect(rows).toBe(total)
    expect(sizes.length).toBeGreaterThan(2)
    expect(Math.max(...sizes)).toBeLessThan(32_768 + 2 * longest)
  })
})

test.skipIf(usesPostgres)(
  'a damaged result fails its page and the document, also after many others, and no other page',
  async () => {
    const damaged = await submit(250)
    await changeRun(
      damaged,
      "UPDATE run_results SET entry = replace(entry, '249', '248') WHERE idx = 249 AND run = (SELECT number FROM runs WHERE id = ?)",
    )
    for (const path of ['/results?limit=250', '/results/249', '']) {
      const response = await service.ask(`/v1/runs/${damaged.run_id}${path}`)
      expect([path, response.status, (await detailOf(response)).error]).toEqual([path, 500, 'stored_data_damaged'])
    }
    expect((await pageOf('?limit=200', damaged)).items).toHaveLength(200)
  },
)
