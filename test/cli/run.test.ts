import { Database } from 'bun:sqlite'
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { waitForAddress, createProcessGroup } from './process-group.ts'

const { root: folder, start } = createProcessGroup()
const upstreams = openUpstreams()
let count = 0
afterEach(upstreams.heal)
afterAll(upstreams.close)

const online = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url }
const file = (name: string, rows: number) => {
  const from = ++count * 1000
  writeFileSync(
    join(folder, name),
    `id,lat,lng\n${Array.from({ length: rows }, (_, i) => `00${i},25.79,${-80.13 - (from + i) / 10_000}\n`).join('')}`,
  )
}
const lines = (name: string) => readFileSync(join(folder, name), 'utf8').trim().split('\r\n')

describe('fieldstone run', () => {
  test('answers the rows of a CSV and writes them with their passthrough columns', async () => {
    writeFileSync(join(folder, 'sites.csv'), 'name;lat;lng\n007;39.7392;-104.9903\nx;y;z\n')
    const { code, out, err } = await start([
      'run',
      'sites.csv',
      '--fields',
      'county,timezone',
      '--out',
      'sites.out.csv',
      '--data',
      'data-1',
    ]).end()
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(
        /^sites\.out\.csv: 2 rows: 2 of 4 values; 2 failed \(row_invalid\)\n {2}Read as delimited text \(utf-8, ";"\): latitude "lat", longitude "lng", by name; EPSG:4326\n$/,
      ),
    ])
    expect(err).toMatch(/^1 row failed with row_invalid: Line 3 is invalid: /m)
    expect(err).toMatch(/sites\.csv 100 % 2 of 2/)
    expect(lines('sites.out.csv')).toEqual([
      'name,lat,lng,index,ok,fieldstone_lat,fieldstone_lng,source,error,county,timezone,failed_fields',
      '007,39.7392,-104.9903,0,true,39.7392,-104.9903,coordinate,,Denver County,America/Denver,',
      'x,y,z,1,false,,,,row_invalid,,,county;timezone',
    ])
  })

  test('continues an interrupted run when the same command is run again, and answers no location twice', async () => {
    file('more.csv', 60)
    const words = ['run', 'more.csv', '--fields', 'fema_flood_zone', '--data', 'data-2', '--out', 'more.out.csv']
    upstreams.delay(60)
    const first = start(words, online)
    await first.waitForOutput(/[1-4]0 % \d+ of 60/)
    first.signal('SIGINT')
    const { code, err } = await first.end()
    expect([code, existsSync(join(folder, 'more.out.csv'))]).toEqual([130, false])
    expect(err).toMatch(
      /Interrupted at \d+ of 60 locations\. No result is lost\. Run the same command again to continue\./,
    )
    upstreams.heal()
    const requested = () =>
      upstreams.calls.filter(({ host }) => host === 'hazards.fema.gov').map(({ query }) => query.get('geometry'))
    // In one process, a slow call may be hedged by a second one for the same location. That is not a repeated location.
    const before = new Set(requested())
    const callsBefore = requested().length
    expect((await start(words, online).end()).code).toBe(0)
    expect(lines('more.out.csv')).toHaveLength(61)
    const after = new Set(requested().slice(callsBefore))
    expect([before.intersection(after).size, before.union(after).size]).toEqual([0, 60])
  })

  test('rejects a file with more than 512 columns, with a remedy', async () => {
    writeFileSync(join(folder, 'wide.csv'), `lat,lng${',a'.repeat(4498)}\n39.7392,-104.9903\n`)
    const { code, err } = await start(['run', 'wide.csv', '--fields', 'county', '--data', 'data-8']).end()
    expect(err).toBe('wide.csv: The CSV has 4500 columns, but at most 512 are allowed. Remove columns.\n')
    expect(code).toBe(1)
  })

  test('prints why a run on a server failed', async () => {
    writeFileSync(join(folder, 'failed.csv'), 'lat,lng\n39.7392,-104.9903\n')
    const serve = async () => {
      const server = start(['serve', '--data', 'data-9'], { FIELDSTONE_AUTH: 'off' })
      return { server, words: ['run', 'failed.csv', '--fields', 'county', '--server', await waitForAddress(server)] }
    }
    const first = await serve()
    expect((await start([...first.words, '--force']).end()).code).toBe(0)
    first.server.signal('SIGTERM')
    await first.server.end()
    const db = new Database(join(folder, 'data-9', 'state.db'))
    db.run("UPDATE runs SET status = 'failed', error = ?", [
      JSON.stringify({ error: 'internal_error', message: 'The worker stopped.', retryable: false }),
    ])
    db.close()
    const { words } = await serve()
    const { code, err } = await start([...words, '--force']).end()
    expect([code, err]).toEqual([1, expect.stringMatching(/^The run run_\w{26} is failed\. The worker stopped\.$/m)])
  })

  test('runs on a server, where the run continues after an interruption', async () => {
    file('there.csv', 100)
    const server = start(['serve', '--data', 'data-3'], { ...online, FIELDSTONE_AUTH: 'off' })
    const address = await waitForAddress(server)
    upstreams.delay(40)
    const words = [
      'run',
      'there.csv',
      '--fields',
      'fema_flood_zone',
      '--server',
      address,
      '--out',
      'there.out.csv',
      '--data',
      'none',
    ]
    const first = start(words)
    await first.waitForOutput(/there.csv \d0 % \d+ of 100/)
    first.signal('SIGINT')
    expect((await first.end()).code).toBe(130)
    expect((await start(words).end()).code).toBe(0)
    expect(lines('there.out.csv')).toHaveLength(101)
    expect(existsSync(join(folder, 'none'))).toBe(false)
    const { items } = (await (await fetch(`${address}/v1/runs`)).json()) as { items: unknown[] }
    expect(items).toHaveLength(1)
  })

  test.each([
    [64, ['run'], /fieldstone run <file>/],
    [64, ['run', 'nowhere.csv'], /The file nowhere\.csv does not exist\./],
    [64, ['run', 'sites.csv', '--kind', 'x'], /Unknown --kind "x"/],
    [1, ['run', 'sites.csv', '--data', 'data-4'], /Use --fields or --preset/],
    [1, ['run', 'sites.csv', '--fields', 'slope', '--data', 'data-4'], /slope_degrees/],
  ] as const)('ends with exit code %i for %j', async (code, words, says) => {
    writeFileSync(join(folder, 'sites.csv'), 'lat,lng\n1,2\n')
    const ended = await start([...words]).end()
    expect([ended.code, ended.out]).toEqual([code, ''])
    expect(ended.err).toMatch(says)
  })

  test.each([
    [64, ['--out', 'nowhere/out.csv'], /^Cannot write nowhere\/out\.csv: .*--out to another file\.\n$/],
    [64, ['--out', '.'], /^Cannot write \.: it is a folder\. /],
    [64, ['--token', 'x'], /^--token requires --server/],
    [64, ['--kind', 'lookup_batch'], /^--fields and --preset cannot be combined with --kind lookup_batch/],
    [64, ['--server', 'nonsense'], /^--server "nonsense" is not valid\. Use a URL/],
    [1, ['--server', 'http://127.0.0.1:1'], /^No response from http:\/\/127\.0\.0\.1:1: .*\n$/],
  ] as const)('ends with exit code %i and one message for %j, before it answers any row', async (code, words, says) => {
    writeFileSync(join(folder, 'sites.csv'), 'lat,lng\n1,2\n')
    const ended = await start(['run', 'sites.csv', '--fields', 'county', '--data', 'data-7', ...words]).end()
    expect([ended.code, ended.out, existsSync(join(folder, 'data-7'))]).toEqual([code, '', false])
    expect(ended.err).toMatch(says)
  })

  test('rejects a folder as the input file', async () => {
    expect(await start(['run', '.', '--fields', 'county']).end()).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^\. is a folder\. Expected CSV, .*a file geodatabase/),
    })
  })

  const odd =
    '\uFEFFName;Street;ZIP;lat;lng\r\n"Joe ""J""\nSmith; Co";"1 Main St";00123;39.7392;-104.9903\r\n=cmd;;;25.79;-80.13\r\n'
  const oddAnswers = [
    '"Joe ""J""\nSmith; Co",1 Main St,00123,39.7392,-104.9903,0,true,39.7392,-104.9903,coordinate,,Denver County,',
    '=cmd,,,25.79,-80.13,1,true,25.79,-80.13,coordinate,,Miami-Dade County,',
  ]

  test('reads a file with a byte order mark, semicolons and quoted line breaks, and passes its other columns through', async () => {
    writeFileSync(join(folder, 'odd.csv'), odd)
    expect(
      (await start(['run', 'odd.csv', '--fields', 'county', '--data', 'data-8', '--out', 'odd.out.csv']).end()).code,
    ).toBe(0)
    expect(lines('odd.out.csv').slice(1)).toEqual(oddAnswers)
  })

  test('works on a server that listens on another address than its public one', async () => {
    writeFileSync(join(folder, 'odd.csv'), odd)
    const server = start(['serve', '--data', 'data-9'], {
      FIELDSTONE_AUTH: 'off',
      FIELDSTONE_BASE_URL: 'http://127.0.0.1:9',
    })
    await server.waitForOutput(/answers at (http:\S+)/)
    const { port } = JSON.parse((await server.waitForOutput(/\{.*"listening".*\}/))[0]) as { port: number }
    expect(
      await start([
        'run',
        'odd.csv',
        '--fields',
        'county',
        '--server',
        `http://127.0.0.1:${port}`,
        '--out',
        'odd.there.csv',
      ]).end(),
    ).toMatchObject({ code: 0 })
    expect(lines('odd.there.csv').slice(1)).toEqual(oddAnswers)
  })

  test('rejects a file without locations with a message', async () => {
    writeFileSync(join(folder, 'nothing.csv'), 'a,b\n1,2\n')
    const { code, err } = await start(['run', 'nothing.csv', '--fields', 'county', '--data', 'data-5']).end()
    expect([code, err]).toEqual([1, expect.stringContaining('has no location column. Its columns are a, b.')])
    writeFileSync(join(folder, 'empty.csv'), '')
    expect(await start(['run', 'empty.csv', '--fields', 'county', '--data', 'data-5']).end()).toMatchObject({
      code: 1,
      err: 'empty.csv: The file is empty.\n',
    })
  })
})

describe('a server that stops while a run is in progress', () => {
  test('reports it at once, rejects new runs, ends the streams and releases its leases, and the next start finishes the run', async () => {
    const env = { ...online, FIELDSTONE_AUTH: 'off' }
    const server = start(['serve', '--data', 'data-6'], env)
    const address = await waitForAddress(server)
    upstreams.delay(400)
    const body = (from: number) =>
      JSON.stringify({
        kind: 'fetch_batch',
        request: {
          locations: Array.from({ length: 40 }, (_, i) => ({ lat: 25.79, lng: -80.5 - (from + i) / 10_000 })),
          fields: ['fema_flood_zone'],
        },
      })
    const submit = (from: number) =>
      fetch(`${address}/v1/runs`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: body(from) })
    const { run_id } = (await (await submit(0)).json()) as { run_id: string }
    const events = await fetch(`${address}/v1/runs/${run_id}/events`)
    const reader = events.body!.getReader()
    for (let text = ''; !text.includes('running'); text += new TextDecoder().decode((await reader.read()).value));
    const requested = () =>
      upstreams.calls.map(({ query }) => query.get('geometry')).filter((geometry) => geometry?.startsWith('-80.5'))
    while (requested().length === 0) await Bun.sleep(5)
    server.signal('SIGTERM')
    await server.waitForOutput(/"stopping"/)
    const [ready, refused, alive] = await Promise.all([
      fetch(`${address}/readyz`),
      submit(1000),
      fetch(`${address}/healthz`),
    ])
    expect([ready.status, refused.status, alive.status]).toEqual([503, 503, 200])
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(((await refused.json()) as { detail: { error: string } }).detail.error).toBe('shutting_down')
    for (let next = await reader.read(); !next.done; next = await reader.read());
    const { code } = await server.end()
    expect(code).toBe(0)
    // Calls of one process may repeat a location: a slow call is hedged.
    const before = new Set(requested())
    const callsBefore = requested().length
    upstreams.heal()
    const again = start(['serve', '--data', 'data-6'], env)
    const second = await waitForAddress(again)
    const document = /^event: final\nid: \d+\ndata: (.*)$/m.exec(
      await (await fetch(`${second}/v1/runs/${run_id}/events`)).text(),
    )![1]!
    expect(JSON.parse(document)).toMatchObject({ status: 'done', progress: { total: 40, done: 40, ok: 40 } })
    const after = new Set(requested().slice(callsBefore))
    expect([before.intersection(after).size, before.union(after).size, before.size > 0]).toEqual([0, 40, true])
  })
})
