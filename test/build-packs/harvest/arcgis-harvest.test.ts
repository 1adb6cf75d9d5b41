import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { arcgisDriver } from '../../../src/drivers/arcgis/arcgis.ts'
import type { HarvestedLayer } from '../../../src/drivers/harvest.ts'
import { openFolderJournal } from '../../../src/build-packs/harvest/journal.ts'
import { createPoliteClient } from '../../../src/build-packs/harvest/polite-client.ts'
import { openHttpClient } from '../../../src/net/http-client.ts'
import { arcgis } from '../../upstreams/arcgis.ts'
import { layer, type SimulatedLayer } from '../../upstreams/layers/layer.ts'
import { area, point, square, type Offset, type SimulatedShape } from '../../upstreams/layers/shapes.ts'
import type { ReceivedRequest, SimulatedService } from '../../upstreams/service.ts'
import { openUpstreams } from '../../upstreams/upstreams.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = temporaryFolder()

const at = 'https://services.arcgis.com/made-up/arcgis/rest/services/Made_Up/FeatureServer/0'
const boulder = { w: -105.7, s: 39.9, e: -105, n: 40.3 }
const total = 40

/** A polygon of 64 corners, of which a generalized outline keeps only some. */
const round = (east: number): SimulatedShape =>
  area(
    'boulder',
    ...Array.from({ length: 64 }, (_, i): Offset => {
      const angle = (-2 * Math.PI * i) / 64
      return [east + 700 * Math.cos(angle), 700 * Math.sin(angle)]
    }),
  )

function layerOf(shape: (i: number) => SimulatedShape, features = total, max_record_count = 15): SimulatedLayer {
  const rows = Array.from({ length: features }, (_, i): [SimulatedShape, { NAME: string }] => [
    shape(i),
    { NAME: `n${i}` },
  ])
  return layer({ at, name: 'Made up', kind: shape(0).kind, columns: 'OBJECTID NAME', max_record_count, rows })
}
const squares = layerOf((i) => square('boulder', 30, 200 * i, 0))

/** A service that changes the JSON of its answers. */
type Lie = (body: Record<string, unknown>, query: URLSearchParams, request: number) => void
function lyingService(of: SimulatedLayer, lie: Lie): SimulatedService[] {
  let requests = 0
  return arcgis([of]).map(({ host, answer }) => ({
    host,
    async answer(request: ReceivedRequest) {
      const reply = await answer(request)
      if (reply === null || typeof reply.body !== 'string' || !reply.body.startsWith('{')) return reply
      const body = JSON.parse(reply.body) as Record<string, unknown>
      lie(body, new URLSearchParams([...request.query, ...new URLSearchParams(request.body)]), ++requests)
      return { ...reply, body: JSON.stringify(body) }
    },
  }))
}

type Copied = {
  layer: HarvestedLayer
  names: string[]
  positions: number
  requests: string[]
  unknown: string[]
  /** How long the client waited, on its own clock. */
  waited_ms: number
}
type Upstreams = ReturnType<typeof openUpstreams>
let folders = 0

/** Copies the layer. `abortAfter`: aborts after this many requests. Without `folder`, begins a new journal. */
async function copy(
  services: SimulatedService[],
  {
    folder = join(root, String(++folders)),
    abortAfter = Infinity,
    boxes = [boulder],
    prepare = () => {},
  }: {
    folder?: string
    abortAfter?: number
    boxes?: (typeof boulder)[]
    prepare?: (upstreams: Upstreams) => void
  } = {},
): Promise<Copied> {
  const upstreams = openUpstreams({ services })
  prepare(upstreams)
  let waited_ms = 0
  const now = () => new Date('2026-11-22T12:00:00Z')
  const host = new URL(at).host
  const client = openHttpClient({
    mirror: upstreams.url,
    userAgent: 'test',
    catalogHosts: new Set([host]),
    now,
    random: Math.random,
    monotonic_ms: () => performance.now() + waited_ms,
  })
  const controller = new AbortController()
  const onReply = () => {
    if (upstreams.calls.length >= abortAfter) controller.abort(new Error('interrupted'))
  }
  const wait = (ms: number) => {
    waited_ms += ms
    return new Promise<void>((resolve) => setTimeout(resolve, ms >= 1_000 ? 10 : 0))
  }
  const net = createPoliteClient(client, { wait, onReply })
  const journal = openFolderJournal(folder, { now: () => new Date(), onPage() {} })
  const harvester = arcgisDriver.harvest!(
    { endpoint: at },
    { net, now },
    { id: 'made_up', attributes: undefined, levels: [], editions: [0], apiKey: null, keyField: null, counties: [] },
  )
  try {
    if (harvester?.shape !== 'features') throw new Error('expected features')
    const [copied] = await harvester.copy(boxes, journal, { signal: controller.signal })
    const to = join(folder, 'all.geojsonl')
    await journal.joinPages(copied!.pages, to, { unique: copied!.hasRepeats })
    const features = readFileSync(to, 'utf8')
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    return {
      layer: copied!,
      names: features.map(({ properties }) => properties.NAME as string),
      positions: features.reduce((sum, { geometry }) => sum + geometry.coordinates.flat(Infinity).length / 2, 0),
      requests: upstreams.calls.map(({ query, body }) => `${query.toString()} ${body}`),
      unknown: upstreams.unknown,
      waited_ms,
    }
  } finally {
    client.close()
    upstreams.close()
  }
}

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: Error) => error.message,
  )
const allNames = Array.from({ length: total }, (_, i) => `n${i}`)
const isPage = (query: URLSearchParams) => query.has('objectIds') && query.get('returnCountOnly') !== 'true'
const featuresOf = (body: Record<string, unknown>) =>
  body.features as { attributes: Record<string, unknown>; geometry: never }[]

describe('A layer of an ArcGIS service is copied', () => {
  test('completely, by object ids, with exact outlines, and with the counts of both sides', async () => {
    const copied = await copy(arcgis([squares]))
    expect(copied.names).toEqual(allNames)
    expect(copied.layer).toMatchObject({ features: total, service_count: total, key: 'OBJECTID', edited: '2026-09-30' })
    expect(copied.layer.columns).toEqual(['OBJECTID', 'NAME'])
    expect(copied.requests.filter((request) => /maxAllowableOffset/.test(request))).toEqual([])
    expect(copied.unknown).toEqual([])
  })

  test('with points, and with no feature at all in the area', async () => {
    expect((await copy(arcgis([layerOf((i) => point('boulder', 10 * i, 0))]))).names).toEqual(allNames)
    expect(await copy(arcgis([layerOf(() => square('miami_beach', 30))]))).toMatchObject({
      names: [],
      layer: { features: 0, service_count: 0, pages: [] },
    })
  })

  test('when the service does not list ids: box by box, in quarters where a list is truncated', async () => {
    const refusesIds = lyingService(squares, (body, query) => {
      if (query.get('returnIdsOnly') === 'true') {
        for (const member of Object.keys(body)) delete body[member]
        body.error = { code: 400, message: 'Unsupported' }
      }
    })
    const copied = await copy(refusesIds)
    expect(copied.names.toSorted()).toEqual(allNames.toSorted())
    expect(copied.layer).toMatchObject({ features: total, service_count: total })
  })

  test('when it silently caps the list of ids or a page: by asking for less', async () => {
    const capsIds = lyingService(squares, (body) => {
      if (Array.isArray(body.objectIds)) body.objectIds = body.objectIds.slice(0, 12)
    })
    expect((await copy(capsIds)).names).toEqual(allNames)
    const width = (boulder.e - boulder.w) / 12
    const strips = Array.from({ length: 12 }, (_, i) => ({
      ...boulder,
      w: boulder.w + i * width,
      e: boulder.w + (i + 1) * width,
    }))
    const inStrips = layerOf((i) => square('boulder', 30, 1_250 * (i - 27), 200 * (i % 9)))
    const capsToTwo = lyingService(inStrips, (body) => {
      if (Array.isArray(body.objectIds)) body.objectIds = body.objectIds.slice(0, 2)
    })
    expect((await copy(capsToTwo, { boxes: strips })).names).toEqual(allNames)
    const capsPages = lyingService(squares, (body, query) => {
      if (isPage(query)) body.features = featuresOf(body).slice(0, 4)
    })
    expect((await copy(capsPages)).names).toEqual(allNames)
  })

  test('when it answers large pages with an error of the server: by asking for less', async () => {
    const refused: number[] = []
    const few = layerOf((i) => square('boulder', 30, 200 * i, 0), 8, 8)
    const overloaded = arcgis([few]).map(({ host, answer }) => ({
      host,
      answer(request: ReceivedRequest) {
        const ids = new URLSearchParams([...request.query, ...new URLSearchParams(request.body)]).get('objectIds')
        const requested = ids?.split(',').length ?? 0
        if (requested <= 5) return answer(request)
        refused.push(requested)
        return { status: 504, type: 'text/html', body: '<html><body>Gateway Timeout</body></html>' }
      },
    }))
    const copied = await copy(overloaded)
    expect(copied.names).toEqual(allNames.slice(0, 8))
    expect(copied.layer).toMatchObject({ features: 8, service_count: 8 })
    // One page of 8 features is divided. More errors in a row would suspend the host.
    expect([...new Set(refused)]).toEqual([8])
  })

  test('when it declares that a page is truncated: by asking for less', async () => {
    const truncates = lyingService(squares, (body, query) => {
      if (!isPage(query) || featuresOf(body).length <= 3) return
      body.features = featuresOf(body).slice(0, 3)
      body.exceededTransferLimit = true
    })
    expect((await copy(truncates)).names).toEqual(allNames)
  })
})

describe('A publisher is treated politely:', () => {
  test('Retry-After is obeyed, and nothing else is sent until then', async () => {
    const copied = await copy(arcgis([squares]), {
      prepare: ({ fault }) => fault({ times: 1 }, { status: 429, retry_after: 600 }),
    })
    expect(copied.names).toEqual(allNames)
    expect(copied.waited_ms).toBeGreaterThan(600_000)
    expect(copied.requests.length).toBe((await copy(arcgis([squares]))).requests.length + 1)
  })

  test('at most two requests are under way at a time, for each host', async () => {
    const active = new Map<string, number>()
    const most = new Map<string, number>()
    const send = async ({ url }: { url: string }) => {
      const { host } = new URL(url)
      active.set(host, (active.get(host) ?? 0) + 1)
      most.set(host, Math.max(most.get(host) ?? 0, active.get(host)!))
      await new Promise((resolve) => setImmediate(resolve))
      active.set(host, active.get(host)! - 1)
      return { status: 200, headers: new Headers(), bytes: new Uint8Array() }
    }
    const net = createPoliteClient({ send, health: () => null }, { wait: () => Promise.resolve(), onReply() {} })
    const calls = Array.from({ length: 20 }, (_, i) => ({ url: `https://${i % 2 === 0 ? 'a' : 'b'}.example/${i}` }))
    await Promise.all(calls.map((call) => net.send(call, { signal: new AbortController().signal })))
    expect([...most]).toEqual([
      ['a.example', 2],
      ['b.example', 2],
    ])
  })
})

describe('A service that lies is caught:', () => {
  test('it counts more features than it lists', async () => {
    const counts = lyingService(squares, (body) => {
      if (typeof body.count === 'number' && body.count === total) body.count = total + 1
    })
    expect(await messageOf(copy(counts))).toBe(
      'services.arcgis.com (Made_Up/FeatureServer/0) counts 41 features in the area, but returned 40. No pack was built.',
    )
  })

  test('it repeats a page', async () => {
    let first: unknown
    const repeats = lyingService(squares, (body, query) => {
      if (isPage(query)) body.features = first ??= body.features
    })
    expect(await messageOf(copy(repeats))).toContain(
      'returned other features than those that were requested by object id',
    )
    const doubles = lyingService(squares, (body, query) => {
      if (isPage(query)) body.features = [...featuresOf(body).slice(1), featuresOf(body).at(-1)]
    })
    expect(await messageOf(copy(doubles))).toContain(
      'returned other features than those that were requested by object id',
    )
  })

  test('it drops a feature, or a page', async () => {
    const drops = lyingService(squares, (body, query) => {
      if (isPage(query)) body.features = featuresOf(body).filter(({ attributes }) => attributes.OBJECTID !== 17)
    })
    expect(await messageOf(copy(drops))).toBe(
      'services.arcgis.com (Made_Up/FeatureServer/0) lists the object id 17, but does not return the feature. Try again later.',
    )
    const empty = lyingService(squares, (body, query) => {
      if (isPage(query)) body.features = []
    })
    expect(await messageOf(copy(empty))).toContain('but does not return the feature')
  })

  test('it changes in the middle', async () => {
    const adds = lyingService(squares, (body, _query, request) => {
      if (request > 5 && Array.isArray(body.objectIds)) body.objectIds = [...body.objectIds, 99]
      if (request > 5 && typeof body.count === 'number') body.count++
    })
    expect(await messageOf(copy(adds))).toContain('changed while it was copied')
    const edits = lyingService(squares, (body, _query, request) => {
      if (request > 5 && body.editingInfo) body.editingInfo = { dataLastEditDate: Date.UTC(2026, 10, 22) }
    })
    expect(await messageOf(copy(edits))).toContain('changed while it was copied')
  })

  test('it returns generalized outlines', async () => {
    const rounds = layerOf((i) => round(1_500 * i), 12)
    expect((await copy(arcgis([rounds]))).positions).toBe(12 * 65)
    const generalizes = lyingService(rounds, (body, query) => {
      if (!isPage(query)) return
      for (const { geometry } of featuresOf(body) as { geometry: { rings: number[][][] } }[])
        geometry.rings = geometry.rings.map((ring) => ring.filter((_, i) => i % 8 === 0))
    })
    expect(await messageOf(copy(generalizes))).toContain('returned a generalized outline')
  })
})

test('A layer is found by its name however long its host is busy with other copies', async () => {
  const upstreams = openUpstreams({ services: arcgis([squares]) })
  const now = () => new Date('2026-11-22T12:00:00Z')
  const client = openHttpClient({
    mirror: upstreams.url,
    userAgent: 'test',
    catalogHosts: new Set([new URL(at).host]),
    now,
    random: Math.random,
  })
  const signals = new Set<AbortSignal>()
  const record = <T>(send: (call: never, budget: { signal: AbortSignal }) => T) => {
    return (call: never, budget: { signal: AbortSignal }) => {
      signals.add(budget.signal)
      return send(call, budget)
    }
  }
  const net = { ...client, send: record(client.send), fetchJson: record(client.fetchJson) }
  const harvester = arcgisDriver.harvest!(
    { endpoint: at, layer_name: '^Made up$' },
    { net, now },
    { id: 'made_up', attributes: undefined, levels: [], editions: [0], apiKey: null, keyField: null, counties: [] },
  )
  try {
    const budget = { signal: new AbortController().signal }
    expect(await harvester!.estimate([boulder], budget)).toMatchObject({ features: total })
    // A request with a deadline of its own would fail while it waits for its turn.
    expect([...signals]).toEqual([budget.signal])
  } finally {
    client.close()
    upstreams.close()
  }
})

test('A copy that is interrupted after any request continues, and asks again only for what was under way', async () => {
  const complete = await copy(arcgis([squares]))
  for (let abortAfter = 1; abortAfter < complete.requests.length; abortAfter++) {
    const folder = join(root, `interrupted-${abortAfter}`)
    expect(await messageOf(copy(arcgis([squares]), { folder, abortAfter }))).toContain('interrupted')
    const rest = await copy(arcgis([squares]), { folder })
    expect(rest.names).toEqual(complete.names)
    expect(rest.layer).toEqual(complete.layer)
    // Two requests are under way at a time, and one more may have been answered but not saved.
    expect(rest.requests.length).toBeLessThanOrEqual(complete.requests.length - abortAfter + 3)
  }
})
