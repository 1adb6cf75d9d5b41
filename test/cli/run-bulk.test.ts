import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDisk } from '../store/small-disk.ts'
import { randomOf } from '../../scripts/bench/random.ts'
import { startFieldstone } from './fieldstone.ts'
import { createProcessGroup, waitForAddress } from './process-group.ts'

const { root, start } = createProcessGroup()
const disk = newDisk(64)
afterAll(() => disk?.remove())

let count = 0
let folder = ''
beforeEach(() => {
  folder = `case-${++count}`
  mkdirSync(join(root, folder))
})

const path = (name: string) => join(folder, name)
const write = (name: string, content: string) => writeFileSync(join(root, path(name)), content)
const read = (name: string) => readFileSync(join(root, path(name)), 'utf8')
/** The files, without a data folder that has only what can be made again: what the executable unpacks, and a cache. */
const files = () =>
  readdirSync(join(root, folder))
    .filter((name) => name !== 'data' || readdirSync(join(root, path(name))).some((file) => !unpacked.test(file)))
    .toSorted()
const unpacked = /^(?:embedded-[0-9a-f]{16}\.bin|cache\.db.*)$/
const run = (name: string, words: string[], env: Record<string, string> = {}) =>
  start(['run', path(name), '--data', path('data'), ...words], env).end()

/** Rows over the whole country, some of them outside it or malformed, with quoted cells. */
function writeRows(name: string, rows: number): void {
  const random = randomOf(20)
  const lines = Array.from({ length: rows }, (_, i) => {
    const at = `${(24 + 26 * random()).toFixed(5)},${(-125 + 59 * random()).toFixed(5)}`
    if (i % 997 === 5) return `"row ${i}",x,y`
    return i % 7 === 0 ? `"row ""${i}""\nof many",${at}` : `row ${i},${at}`
  })
  write(name, `name,lat,lng\n${lines.join('\n')}\n`)
}

const fields = ['--fields', 'county,timezone,nearest_airport_name,h3_cell_res9']

describe('a run without a server', () => {
  test('writes the same bytes through a pipe as to a file, also with --server', async () => {
    writeRows('a.csv', 3000)
    expect((await run('a.csv', [...fields, '--out', path('out.csv')])).code).toBe(1)
    const server = await waitForAddress(start(['serve', '--data', path('there')], { FIELDSTONE_AUTH: 'off' }))
    for (const words of [[], ['--server', server]]) {
      const command = ['run', path('a.csv'), '--data', path('data'), ...fields, '--out', '-', ...words]
      const { out } = await startFieldstone(command, {}, root, ['sh', '-c', '"$@" | cat', 'sh']).end()
      expect(out === read('out.csv')).toBe(true)
    }
  })

  test('writes the same CSV and GeoJSON as a run on a server, with one thread and with two', async () => {
    writeRows('a.csv', 3000)
    for (const [out, ...words] of [
      ['one.csv', '--workers', '1'],
      ['two.csv', '--workers', '2'],
      ['two.geojson', '--workers', '2'],
    ])
      expect((await run('a.csv', [...fields, ...words, '--out', path(out!)])).code).toBe(1)
    const server = await waitForAddress(start(['serve', '--data', path('there')], { FIELDSTONE_AUTH: 'off' }))
    for (const out of ['server.csv', 'server.geojson'])
      expect((await run('a.csv', [...fields, '--out', path(out), '--server', server])).code).toBe(1)
    expect(read('one.csv') === read('server.csv')).toBe(true)
    expect(read('two.csv') === read('server.csv')).toBe(true)
    expect(read('two.geojson') === read('server.geojson')).toBe(true)
  })

  test('writes the same bytes when the main thread and another one answer', async () => {
    writeRows('a.csv', 40_000)
    for (const workers of ['1', '2'])
      expect((await run('a.csv', [...fields, '--workers', workers, '--out', path(`${workers}.csv`)])).code).toBe(1)
    expect(read('2.csv') === read('1.csv')).toBe(true)
  })

  test('leaves no state, and needs no data folder', async () => {
    writeRows('a.csv', 10)
    expect((await run('a.csv', [...fields, '--out', path('out.csv')])).code).toBe(1)
    expect(files()).toEqual(['a.csv', 'out.csv'])
  })

  test('writes a JSON object for each row into a file that ends in .ndjson', async () => {
    write('a.csv', 'name,lat,lng\nCity park,39.7392,-104.9903\n')
    expect((await run('a.csv', ['--fields', 'county,elevation', '--out', path('out.ndjson')])).code).toBe(0)
    expect(JSON.parse(read('out.ndjson'))).toEqual({
      index: 0,
      ok: true,
      lat: '39.7392',
      lng: '-104.9903',
      fieldstone_lat: 39.7392,
      fieldstone_lng: -104.9903,
      source: 'coordinate',
      error: null,
      county: 'Denver County',
      elevation: null,
      failed_fields: ['elevation'],
      name: 'City park',
    })
  })

  test('prints nothing with --quiet but errors', async () => {
    write('a.csv', 'lat,lng\n39.7392,-104.9903\n')
    const words = ['--quiet', '--out', path('out.csv')]
    expect(await run('a.csv', ['--fields', 'county,elevation', ...words])).toEqual({ code: 0, out: '', err: '' })
    expect((await run('a.csv', ['--fields', 'elevaton', ...words])).err).toContain('Unknown field')
  })
})

describe('shards', () => {
  test('in order, without the header of all but the first, are the whole result', async () => {
    writeRows('a.csv', 1000)
    expect((await run('a.csv', [...fields, '--out', path('whole.csv'), '--quiet'])).code).toBe(1)
    const parts: string[] = []
    for (let k = 1; k <= 3; k++) {
      const indexed = { JOB_COMPLETION_INDEX: String(k - 1), JOB_COMPLETIONS: '3' }
      const [words, env] = k === 2 ? [['--shard', '2/3'], {}] : [[], indexed]
      const out = path(`part-${k}.csv`)
      const { code } = await run('a.csv', [...fields, ...words, '--out', out, '--quiet'], env)
      expect([0, 1]).toContain(code)
      const [header, ...lines] = read(`part-${k}.csv`).split(/(?<=\r\n)/)
      parts.push(k === 1 ? header! + lines.join('') : lines.join(''))
    }
    expect(parts.join('') === read('whole.csv')).toBe(true)
  })

  test('more than there are rows have a header only', async () => {
    write('a.csv', 'lat,lng\n39.7392,-104.9903\n')
    const { code, out } = await run('a.csv', ['--fields', 'county', '--shard', '1/2', '--out', path('out.csv')])
    expect([code, out]).toEqual([0, expect.stringContaining('0 rows')])
    expect(read('out.csv')).toBe('lat,lng,index,ok,fieldstone_lat,fieldstone_lng,source,error,county,failed_fields\r\n')
  })

  test.each([
    [['--shard', '0/3'], {}, '--shard "0/3" is not a shard.'],
    [['--shard', '3'], {}, '--shard "3" is not a shard.'],
    [['--shards', '3'], {}, '--shards requires the setting JOB_COMPLETION_INDEX.'],
    [[], { JOB_COMPLETION_INDEX: '1' }, 'not the number of shards. Add --shards <n>'],
    [['--shards', '2'], { JOB_COMPLETION_INDEX: '2' }, 'JOB_COMPLETION_INDEX 2 with --shards "2" is not a shard.'],
    [['--shard', '1/2', '--server', 'http://127.0.0.1:1'], {}, '--shard and --server cannot be combined.'],
  ])('%j with %j is a usage error', async (words, env, message) => {
    write('a.csv', 'lat,lng\n1,2\n')
    const { code, err } = await run('a.csv', ['--fields', 'county', ...words], env)
    expect([code, err]).toEqual([64, expect.stringContaining(message)])
  })
})

describe('an interrupted run', () => {
  /** Starts the run, and kills it when the file of its partial result has a size. Returns whether it was killed. */
  async function killAt(size_bytes: number, words: string[]): Promise<boolean> {
    const running = start(['run', path('a.csv'), '--data', path('data'), ...words])
    const part = join(root, folder, '.out.csv.part')
    const watcher = watch(join(root, folder), () => {
      if ((statSync(part, { throwIfNoEntry: false })?.size ?? 0) >= size_bytes) running.signal('SIGKILL')
    })
    const { code } = await running.end()
    watcher.close()
    return code === 137 || code === null
  }

  test('is continued by the same command, and its result has the same bytes as one without interruption', async () => {
    writeRows('a.csv', 40_000)
    const words = [...fields, '--quiet']
    expect((await run('a.csv', [...words, '--out', path('whole.csv'), '--workers', '2'])).code).toBe(1)
    const whole = read('whole.csv')
    const random = randomOf(30)
    let kills = 0
    for (let i = 0; i < 4; i++) {
      const wasKilled = await killAt(Math.floor(random() * whole.length), [...words, '--out', path('out.csv')])
      if (wasKilled) kills++
    }
    expect(kills).toBeGreaterThan(0)
    expect((await run('a.csv', [...words, '--out', path('out.csv')])).code).toBe(1)
    expect(read('out.csv') === whole).toBe(true)
    expect(files()).toEqual(['a.csv', 'out.csv', 'whole.csv'])
  }, 120_000)

  test('of other rows or another command is not continued; --restart discards it', async () => {
    writeRows('a.csv', 40_000)
    const words = [...fields, '--out', path('out.csv'), '--quiet']
    expect(await killAt(1_000_000, words)).toBe(true)
    const other = await run('a.csv', ['--fields', 'county', '--out', path('out.csv')])
    expect([other.code, other.err]).toEqual([
      64,
      `An interrupted run left a partial result of ${path('out.csv')}, but it was another command. To discard it and start again, add --restart.\n`,
    ])
    write('a.csv', 'lat,lng\n39.7392,-104.9903\n')
    const changed = await run('a.csv', words)
    expect([changed.code, changed.err]).toEqual([64, expect.stringContaining('but the input file has changed since.')])
    expect((await run('a.csv', [...words, '--restart'])).code).toBe(0)
    expect(files()).toEqual(['a.csv', 'out.csv'])
  })

  test.skipIf(disk === null)('on a full disk says so and is continued when there is space', async () => {
    writeRows('a.csv', 20_000)
    const out = join(disk!.folder, 'out.csv')
    const words = [...fields, '--out', out]
    const empty = disk!.fill(1_000_000)
    const full = await run('a.csv', words)
    expect([full.code, full.err]).toEqual([75, expect.stringContaining('Run the same command again to continue.')])
    empty()
    expect((await run('a.csv', words)).code).toBe(1)
    expect((await run('a.csv', [...fields, '--out', path('whole.csv')])).code).toBe(1)
    expect(readFileSync(out, 'utf8') === read('whole.csv')).toBe(true)
    expect(readdirSync(disk!.folder).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('is not started twice at the same time', async () => {
    writeRows('a.csv', 100_000)
    const words = ['run', path('a.csv'), '--data', path('data'), ...fields, '--out', path('out.csv')]
    const first = start(words)
    await first.waitForOutput(/\d %/)
    process.kill(first.pid, 'SIGSTOP')
    const second = await start(words).end()
    process.kill(first.pid, 'SIGCONT')
    expect([second.code, second.err]).toEqual([75, expect.stringContaining('Another process is writing')])
    expect((await first.end()).code).toBe(1)
  })
})
