import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { entryChecksum } from '../../src/store/entry-checksum.ts'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { hasPythonModules, python } from '../support/python.ts'
import { usesPostgres } from '../support/test-state.ts'

const service = await openHttpService()
afterAll(service.close)

const csv =
  'id,lat,lng,"note"\r\n007,39.7392,-104.9903,"a ""quoted"", cell\r\nof two lines"\r\n008,x,1,=1+1\r\n009,25.7907,-80.13,\r\n'
const upload = (body: string, query = 'fields=county,county_fips', headers: Record<string, string> = {}) =>
  service.ask(`/v1/runs?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', prefer: 'wait=20', ...headers },
    body,
  })
type Document = {
  run_id: string
  status: string
  request: unknown
  read: unknown
  result: { results: { index: number; ok: boolean; error?: { error: string; line: number } }[] }
}

const document = (await (await upload(csv)).json()) as Document
const file = (name: string, headers: Record<string, string> = {}) =>
  service.ask(`/v1/runs/${document.run_id}/artifacts/${name}`, { headers })

describe('an upload', () => {
  test('is a run of its rows; an unreadable row is an entry with its line', () => {
    expect(
      document.result.results.map(({ index, ok, error }) => [index, ok, error && [error.error, error.line]]),
    ).toEqual([
      [0, true, undefined],
      [1, false, ['row_invalid', 4]],
      [2, true, undefined],
    ])
    expect(document.request).toEqual({
      locations: [{ lat: 39.7392, lng: -104.9903 }, {}, { lat: 25.7907, lng: -80.13 }],
      fields: ['county', 'county_fips'],
    })
  })

  test('says in the run and in the list how it was read, and why', async () => {
    const read = {
      format: 'delimited text',
      encoding: 'utf-8',
      delimiter: ',',
      header_row: 1,
      columns: { lat: ['lat'], lng: ['lng'] },
      reason: 'by name',
      crs: 'EPSG:4326',
    }
    expect(document.read).toEqual(read)
    const { items } = (await (await service.ask('/v1/runs')).json()) as { items: { run_id: string; read: unknown }[] }
    expect(items.find(({ run_id }) => run_id === document.run_id)!.read).toEqual(read)
    const response = await service.ask('/v1/runs?fields=county&lat=Norte&lng=Este&crs=26913', {
      method: 'POST',
      headers: { 'content-type': 'text/csv', prefer: 'wait=20' },
      body: Buffer.from('# sites\nPeña|Norte|Este\nx|4398768|500834\n', 'latin1'),
    })
    expect(((await response.json()) as Document).read).toEqual({
      ...read,
      encoding: 'windows-1252',
      delimiter: '|',
      header_row: 2,
      columns: { lat: ['Norte'], lng: ['Este'] },
      reason: 'as chosen',
      crs: 'EPSG:26913',
    })
  })

  test('is returned as CSV with all its columns unchanged, including leading zeros and what cannot be read', async () => {
    expect(await (await file('csv')).text()).toBe(
      [
        'index,ok,lat,lng,source,error,county,county_fips,failed_fields,id,input_lat,input_lng,note',
        '0,true,39.7392,-104.9903,coordinate,,Denver County,08031,,007,39.7392,-104.9903,"a ""quoted"", cell\r\nof two lines"',
        "1,false,,,,row_invalid,,,county;county_fips,008,x,1,'=1+1",
        '2,true,25.7907,-80.13,coordinate,,Miami-Dade County,12086,,009,25.7907,-80.13,',
        '',
      ].join('\r\n'),
    )
  })

  test('without any readable row is still a run, and is finished at once', async () => {
    const { status, result } = (await (await upload('lat,lng\nx,y\n,\n')).json()) as Document
    expect([status, result.results.map(({ error }) => error!.error)]).toEqual(['done', ['row_invalid', 'row_invalid']])
  })

  test('has its kind and fields in the query', async () => {
    expect((await upload('input\n"39.7392, -104.9903"\n', 'kind=lookup_batch')).status).toBe(200)
    expect((await detailOf(await upload(csv, 'kind=x'))).error).toBe('run_kind_unknown')
    expect((await detailOf(await upload(csv, ''))).error).toBe('no_fields_requested')
    expect((await upload('a,b\n1,2\n')).status).toBe(422)
    expect((await upload(csv, 'fields=county', { 'content-encoding': 'gzip' })).status).toBe(415)
  })

  test('of 4,500 equal columns is rejected, and one of 512 is returned with unique names', async () => {
    const wide = (count: number) => `lat,lng${',a'.repeat(count - 2)}\r\n39.7392,-104.9903${',x'.repeat(count - 2)}\r\n`
    const refused = await upload(wide(4500), 'fields=geohash')
    expect([refused.status, ((await refused.json()) as { detail: unknown }).detail]).toEqual([
      422,
      [
        {
          type: 'too_long',
          loc: ['body'],
          msg: 'The CSV has 4500 columns, but at most 512 are allowed. Remove columns',
          input: null,
        },
      ],
    ])
    const { run_id, status } = (await (await upload(wide(512), 'fields=geohash')).json()) as Document
    const [header] = (await (await service.ask(`/v1/runs/${run_id}/artifacts/csv`)).text()).split('\r\n')
    const names = header!.split(',')
    expect(status).toBe('done')
    expect(names.length).toBe(520)
    expect(new Set(names).size).toBe(520)
    expect(names.slice(8, 13)).toEqual(['input_lat', 'input_lng', 'a', 'input_a', 'input_a_2'])
  })

  test('that is sent byte by byte gives the same run', async () => {
    const bytes = new TextEncoder().encode(csv)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const key = { 'idempotency-key': 'byte-by-byte' }
    const whole = (await (await upload(csv, 'fields=county', key)).json()) as Document
    const sent = await service.testService.send('/v1/runs?fields=county', {
      method: 'POST',
      headers: { 'content-type': 'text/csv', ...key },
      body,
    })
    expect(sent.headers.get('idempotency-replayed')).toBe('true')
    expect(((await sent.json()) as Document).run_id).toEqual(whole.run_id)
  })

  test('with an Idempotency-Key is the same run for the same bytes and query', async () => {
    const key = { 'idempotency-key': 'file' }
    const ids = await Promise.all(
      [upload(csv, 'fields=county', key), upload(csv, 'fields=county', key)].map(
        async (it) => ((await (await it).json()) as Document).run_id,
      ),
    )
    expect(ids[0]).toBe(ids[1])
    expect((await upload(csv, 'fields=state', key)).status).toBe(409)
    expect((await upload(`${csv}\r\n`, 'fields=county', key)).status).toBe(409)
  })
})

describe('a run with a name', () => {
  const summaryOf = async (run_id: string) =>
    (await (await service.ask(`/v1/runs/${run_id}?view=summary`)).json()) as { name: string | null }

  test('shows it in the run and in the list, but not in the header of its result files', async () => {
    const { run_id } = (await (await upload(csv, 'fields=county&name=Q3%20sites.csv')).json()) as Document
    const { items } = (await (await service.ask('/v1/runs?limit=1')).json()) as { items: { name: string | null }[] }
    expect([(await summaryOf(run_id)).name, items[0]!.name]).toEqual(['Q3 sites.csv', 'Q3 sites.csv'])
    for (const [artifact, name] of [
      ['csv', `${run_id}.csv`],
      ['geojson', `${run_id}.geojson`],
      ['report', `${run_id}.json`],
    ])
      expect((await service.ask(`/v1/runs/${run_id}/artifacts/${artifact}`)).headers.get('content-disposition')).toBe(
        `attachment; filename="${name}"`,
      )
  })

  test('may be JSON; no name, or null, is null; the name is not compared under an Idempotency-Key', async () => {
    const submit = async (name?: string | null) => {
      const response = await service.ask('/v1/runs', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': `named ${name ? '' : name}`.replace(' ', '-'),
        },
        body: JSON.stringify({
          kind: 'fetch_batch',
          name,
          request: { locations: [{ lat: 39.7392, lng: -104.9903 }], fields: ['county'] },
        }),
      })
      return ((await response.json()) as Document).run_id
    }
    const first = await submit('first')
    expect(await submit('second')).toBe(first)
    expect((await summaryOf(first)).name).toBe('first')
    expect((await summaryOf(await submit(null))).name).toBeNull()
    expect((await summaryOf(await submit())).name).toBeNull()
  })

  test.each([
    ['x'.repeat(201), 'string_too_long'],
    ['a\u202eb', 'value_error'],
    [' ', 'string_too_short'],
  ])('%j is rejected in the query and in the body', async (name, type) => {
    const query = await upload(csv, `fields=county&name=${encodeURIComponent(name)}`)
    const body = await service.ask('/v1/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        kind: 'fetch_batch',
        name,
        request: { locations: [{ lat: 39, lng: -105 }], fields: ['county'] },
      }),
    })
    for (const [response, loc] of [
      [query, ['query', 'name']],
      [body, ['body', 'name']],
    ] as const) {
      expect(response.status).toBe(422)
      expect(await detailOf(response)).toMatchObject([{ type, loc }])
    }
  })
})

describe('an artifact of a run', () => {
  test('with columns=input_first has the columns of the file first and unchanged, and its name with the preset', async () => {
    const { run_id } = (await (await upload(csv, 'preset=place_context&name=Q3%20s%C3%AFtes.csv')).json()) as Document
    const response = await service.ask(`/v1/runs/${run_id}/artifacts/csv?columns=input_first`)
    const [header, ...rows] = (await response.text()).split(/\r\n(?!of)/)
    expect(header).toStartWith('id,lat,lng,note,index,ok,fieldstone_lat,fieldstone_lng,source,error,')
    expect(rows[0]).toStartWith('007,39.7392,-104.9903,"a ""quoted"", cell\r\nof two lines",0,true,39.7392,')
    expect(rows[1]).toStartWith('008,x,1,=1+1,1,false,,,,row_invalid,')
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Q3 s_tes.place_context.csv"; filename*=UTF-8''Q3%20s%C3%AFtes.place_context.csv`,
    )
    const plain = await service.ask(`/v1/runs/${run_id}/artifacts/csv`)
    expect(await plain.text()).toStartWith('index,ok,lat,lng,')
    expect((await service.ask(`/v1/runs/${run_id}/artifacts/csv?columns=mine`)).status).toBe(422)
  })

  test.each([
    ['ndjson', 'application/x-ndjson', '{"index":0,"ok":true,'],
    ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK'],
    ['gpkg', 'application/geopackage+sqlite3', 'SQLite format 3'],
  ])('%s is written when it is first requested', async (name, type, start) => {
    const response = await file(name)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    const bytes = await response.bytes()
    expect(new TextDecoder().decode(bytes)).toStartWith(start)
    expect(await (await file(name)).bytes()).toEqual(bytes)
  })

  test.each(['csv', 'geojson'])('%s has a strong ETag and answers it with 304', async (name) => {
    const response = await file(name)
    const etag = response.headers.get('etag')!
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${document.run_id}.${name}"`)
    for (const known of [etag, `"x", ${etag}`, `W/${etag}`, '*'])
      expect((await file(name, { 'if-none-match': known })).status).toBe(304)
    expect((await file(name, { 'if-none-match': '"x"' })).status).toBe(200)
  })

  test('can be read in any byte range', async () => {
    const whole = new Uint8Array(await (await file('csv')).arrayBuffer())
    const size = whole.length
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      [`bytes=${size - 1}-`, size - 1, size - 1],
      ['bytes=-5', size - 5, size - 1],
      [`bytes=-${size + 9}`, 0, size - 1],
      ['bytes=5-99999', 5, size - 1],
    ] as const) {
      const response = await file('csv', { range })
      expect([response.status, response.headers.get('content-range')]).toEqual([206, `bytes ${from}-${to}/${size}`])
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(whole.slice(from, to + 1))
    }
  })

  test.each(['bytes=5-2', 'bytes=a-b', 'lines=1-2', 'bytes=0-1,3-4', 'bytes=-'])(
    'ignores an invalid Range: %s',
    async (range) => expect((await file('csv', { range })).status).toBe(200),
  )

  test.each(['bytes=100000-', 'bytes=-0'])('answers a range outside the file with 416: %s', async (range) => {
    const response = await file('csv', { range })
    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toMatch(/^bytes \*\/\d+$/)
    expect((await detailOf(response)).error).toBe('range_not_satisfiable')
  })

  test('respects If-Range', async () => {
    const etag = (await file('csv')).headers.get('etag')!
    expect((await file('csv', { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
    expect((await file('csv', { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200)
  })

  test.skipIf(usesPostgres)('a GeoPackage is stored in chunks too, so that each piece is read alone', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => `39.7,-104.9,${'x'.repeat(300)}${i}`).join('\n')
    const uploaded = await upload(`lat,lng,note\n${rows}\n`, 'fields=geohash', { prefer: 'wait=30' })
    const { run_id } = (await uploaded.json()) as Document
    const bytes = await (await service.ask(`/v1/runs/${run_id}/artifacts/gpkg`)).bytes()
    const copy = Database.deserialize(bytes)
    expect(copy.query('SELECT count(*) AS rows FROM result').get()).toEqual({ rows: 3000 })
    const db = new Database(`${service.testService.app.config.data}/state.db`, { readonly: true })
    const stored = db
      .query<{ largest: number; all_bytes: number }, [string]>(
        `SELECT max(length(bytes)) AS largest, sum(length(bytes)) AS all_bytes FROM run_chunks
         WHERE name = 'gpkg' AND run = (SELECT number FROM runs WHERE id = ?)`,
      )
      .get(run_id)!
    db.close()
    expect(stored).toEqual({ largest: 262_144, all_bytes: bytes.length })
  })

  test('of ten thousand rows and many chunks is complete', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => `39.7,-104.9,${'x'.repeat(300)}${i}`).join('\n')
    const { run_id } = (await (
      await upload(`lat,lng,note\n${rows}\n`, 'fields=geohash', { prefer: 'wait=30' })
    ).json()) as Document
    const text = await (await service.ask(`/v1/runs/${run_id}/artifacts/csv`)).text()
    expect(text.split('\r\n')).toHaveLength(3002)
    expect(text.split('\r\n')[3000]).toEndWith('x2999')
    const at = 262_140
    expect(
      await (
        await service.ask(`/v1/runs/${run_id}/artifacts/csv`, { headers: { range: `bytes=${at}-${at + 9}` } })
      ).text(),
    ).toBe(text.slice(at, at + 10))
  })

  test('with an unknown name is not found', async () => expect((await file('ods')).status).toBe(404))
})

describe('a GeoParquet artifact', () => {
  type Row = Record<string, unknown>
  async function parquetOf(run_id: string, query = '') {
    const response = await service.ask(`/v1/runs/${run_id}/artifacts/parquet${query}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/vnd.apache.parquet'])
    const bytes = await response.arrayBuffer()
    const metadata = parquetMetadata(bytes)
    return { bytes, metadata, rows: (await parquetReadObjects({ file: bytes, metadata })) as Row[] }
  }
  const submit = async (body: object) =>
    ((await (await service.post('/v1/runs', body, { prefer: 'wait=30' })).json()) as Document).run_id
  const fields = ['county', 'county_fips', 'nearest_airport_distance_m', 'geohash', 'timezone']

  test('has the columns of the CSV with the types of the catalog, and the points', async () => {
    const { metadata, rows } = await parquetOf(document.run_id)
    expect(rows).toEqual([
      {
        index: 0n,
        ok: true,
        lat: 39.7392,
        lng: -104.9903,
        source: 'coordinate',
        error: null,
        county: 'Denver County',
        county_fips: '08031',
        failed_fields: '',
        id: '007',
        input_lat: '39.7392',
        input_lng: '-104.9903',
        note: 'a "quoted", cell\r\nof two lines',
        geometry: { type: 'Point', coordinates: [-104.9903, 39.7392] },
      },
      expect.objectContaining({ index: 1n, ok: false, error: 'row_invalid', lat: null, geometry: null }),
      expect.objectContaining({ index: 2n, county: 'Miami-Dade County', county_fips: '12086' }),
    ])
    const geo = metadata.key_value_metadata!.find(({ key }) => key === 'geo')!.value!
    expect(JSON.parse(geo)).toMatchObject({ version: '1.1.0', primary_column: 'geometry' })
  })

  test('of many rows is written in groups, and has the values of the GeoJSON', async () => {
    const locations = Array.from({ length: 2_100 }, (_, i) => ({ lat: 37 + i / 500, lng: -105 }))
    const run_id = await submit({ kind: 'fetch_batch', request: { locations, fields } })
    const { metadata, rows } = await parquetOf(run_id)
    expect(metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([2_048, 52])
    const { features } = (await (await service.ask(`/v1/runs/${run_id}/artifacts/geojson`)).json()) as {
      features: { properties: Row }[]
    }
    expect(rows.map((row) => fields.map((name) => row[name]))).toEqual(
      features.map(({ properties }) => fields.map((name) => properties[name])),
    )
  })

  test('of a lookup has numbers and booleans', async () => {
    const run_id = await submit({ kind: 'lookup_batch', request: { inputs: ['39.7392, -104.9903'] } })
    const { rows } = await parquetOf(run_id)
    expect(rows).toEqual([expect.objectContaining({ disposition: 'resolved', confidence: 1, county_fips: '08031' })])
  })

  test.skipIf(usesPostgres)('has a field as text if a value is not of the type in the catalog', async () => {
    const locations = [{ lat: 39.7392, lng: -104.9903 }]
    const run_id = await submit({
      kind: 'fetch_batch',
      request: { locations, fields: ['nearest_airport_distance_m', 'county'] },
    })
    const db = new Database(`${service.testService.app.config.data}/state.db`)
    db.run('PRAGMA busy_timeout = 5000')
    const stored = db
      .query<{ run: number; idx: number; ok: number; entry: string }, [string]>(
        `SELECT run, idx, ok, json_set(entry, '$.fields.nearest_airport_distance_m.value', 'far') AS entry
         FROM run_results WHERE run = (SELECT number FROM runs WHERE id = ?)`,
      )
      .get(run_id)!
    db.query('UPDATE run_results SET entry = ?, checksum = ? WHERE run = ? AND idx = ?').run(
      stored.entry,
      entryChecksum(stored),
      stored.run,
      stored.idx,
    )
    db.close()
    const { rows } = await parquetOf(run_id)
    expect(rows).toEqual([expect.objectContaining({ nearest_airport_distance_m: 'far', county: 'Denver County' })])
  })

  test('has the status of each field with include=reasons', async () => {
    const { rows } = await parquetOf(document.run_id, '?include=reasons')
    expect(rows.map(({ county_status }) => county_status)).toEqual(['ok', 'failed', 'ok'])
  })

  const hasGeopandas = hasPythonModules('geopandas', 'pyarrow')
  test.skipIf(!hasGeopandas)('opens in geopandas (needs the Python packages geopandas and pyarrow)', async () => {
    const path = `${service.testService.app.config.data}/run.parquet`
    await Bun.write(path, (await parquetOf(document.run_id)).bytes)
    const script = 'import sys, geopandas as g; t = g.read_parquet(sys.argv[1]); print(len(t), t.crs, t.geometry[0])'
    const { stdout } = Bun.spawnSync([python, '-c', script, path])
    expect(stdout.toString()).toBe('3 OGC:CRS84 POINT (-104.9903 39.7392)\n')
  })
})

test('a GeoJSON artifact opens in ogrinfo if it is installed', async () => {
  const ogrinfo = Bun.which('ogrinfo')
  if (!ogrinfo) return
  const path = `${service.testService.app.config.data}/run.geojson`
  await Bun.write(path, await (await file('geojson')).bytes())
  const { stdout, stderr, exitCode } = Bun.spawnSync([ogrinfo, '-al', '-so', path])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  expect(stdout.toString()).toContain('Feature Count: 3')
})
