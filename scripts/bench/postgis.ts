import { SQL } from 'bun'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ran } from './gdal.ts'

const versions = '/usr/lib/postgresql'
const settings = [
  'listen_addresses=',
  'fsync=off',
  'shared_buffers=512MB',
  'jit=off',
  'max_parallel_workers_per_gather=0',
  'max_wal_size=4GB',
]

/** A PostGIS of our own on a local socket, with one connection that prepares what it is asked. */
export type Postgis = {
  /** Reads a layer of a GeoPackage into a table of its name, with an index, and gathers statistics. */
  load(file: string, layer: string): Promise<void>
  rows<Row>(sql: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** Starts it in the folder; `null` where Debian's postgresql and postgis are not installed. */
export async function openPostgis(folder: string): Promise<Postgis | null> {
  const programs = programsIn(versions)
  if (!programs || Bun.which('ogr2ogr') === null) return null
  const home = join(folder, 'postgres')
  mkdirSync(home)
  chmodSync(folder, 0o755)
  const isRoot = process.getuid!() === 0
  if (isRoot) chownSync(home, Number(await ran(['id', '-u', 'postgres'])), Number(await ran(['id', '-g', 'postgres'])))
  // PostgreSQL does not run as root.
  const asUser = isRoot ? ['runuser', '-u', 'postgres', '--'] : []
  const control = [...asUser, join(programs, 'pg_ctl'), '-D', join(home, 'data')]
  await ran([
    ...asUser,
    join(programs, 'initdb'),
    '-D',
    join(home, 'data'),
    '-U',
    'bench',
    '-A',
    'trust',
    '--no-sync',
    '-E',
    'UTF8',
    '--locale',
    'C',
  ])
  await ran([
    ...control,
    '-w',
    '-l',
    join(home, 'log'),
    '-o',
    [`-k ${home}`, ...settings.map((it) => `-c ${it}`)].join(' '),
    'start',
  ])
  const sql = new SQL({
    adapter: 'postgres',
    path: join(home, '.s.PGSQL.5432'),
    database: 'postgres',
    username: 'bench',
    max: 1,
  })
  await sql.unsafe('CREATE EXTENSION postgis')
  return {
    async load(file, layer) {
      await ran([
        'ogr2ogr',
        '-f',
        'PostgreSQL',
        `PG:host=${home} dbname=postgres user=bench`,
        file,
        layer,
        '-nln',
        layer,
        '-lco',
        'GEOMETRY_NAME=geom',
        '-lco',
        'FID=fid',
        '-preserve_fid',
        '--config',
        'PG_USE_COPY',
        'YES',
      ])
      await sql.unsafe(`VACUUM ANALYZE "${layer}"`)
    },
    rows: async <Row>(text: string, values: unknown[] = []) => (await sql.unsafe(text, values)) as Row[],
    async close() {
      await sql.close()
      await ran([...control, '-m', 'immediate', 'stop'])
    },
  }
}

function programsIn(folder: string): string | null {
  const version = existsSync(folder) ? readdirSync(folder).toSorted((a, b) => Number(b) - Number(a))[0] : undefined
  if (version === undefined || !existsSync(`/usr/share/postgresql/${version}/extension/postgis.control`)) return null
  return join(folder, version, 'bin')
}
