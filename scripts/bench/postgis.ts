import { SQL } from 'bun'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './gdal.ts'
import { answerOfPeer } from './report.ts'

const versions = '/usr/lib/postgresql'
const settings = [
  'listen_addresses=',
  'fsync=off',
  'shared_buffers=512MB',
  'jit=off',
  'max_parallel_workers_per_gather=0',
  'max_wal_size=4GB',
]

/** A private PostGIS server on a local socket, with one connection that prepares its statements. */
export type Postgis = {
  /** Loads a layer of a GeoPackage into a table of the same name, with an index and statistics. */
  load(file: string, layer: string): Promise<void>
  rows<Row>(sql: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/**
 * Starts PostGIS in the folder, to answer what is named. If it is missing or does not work, reports this and returns
 * null.
 */
export function openPostgis(folder: string, what: string): Promise<Postgis | null> {
  return answerOfPeer('PostGIS', what, () => startPostgis(folder))
}

async function startPostgis(folder: string): Promise<Postgis> {
  const programs = programsIn(versions)
  await runProgram(['ogr2ogr', '--version'])
  const home = join(folder, 'postgres')
  const stop = await startServer(folder, home, programs)
  const sql = new SQL({
    adapter: 'postgres',
    path: join(home, '.s.PGSQL.5432'),
    database: 'postgres',
    username: 'bench',
    max: 1,
  })
  const close = async () => {
    await sql.close()
    await stop()
  }
  try {
    await sql.unsafe('CREATE EXTENSION postgis')
  } catch (error) {
    await close()
    throw error
  }
  return {
    async load(file, layer) {
      const target = ['-f', 'PostgreSQL', `PG:host=${home} dbname=postgres user=bench`]
      const columns = ['-lco', 'GEOMETRY_NAME=geom', '-lco', 'FID=fid', '-preserve_fid']
      await runProgram(['ogr2ogr', ...target, file, layer, '-nln', layer, ...columns, '--config', 'PG_USE_COPY', 'YES'])
      await sql.unsafe(`VACUUM ANALYZE "${layer}"`)
    },
    rows: async <Row>(text: string, values: unknown[] = []) => (await sql.unsafe(text, values)) as Row[],
    close,
  }
}

/** Returns a function that stops the server. */
async function startServer(folder: string, home: string, programs: string): Promise<() => Promise<unknown>> {
  mkdirSync(home)
  chmodSync(folder, 0o755)
  const isRoot = process.getuid!() === 0
  if (isRoot)
    chownSync(
      home,
      Number(await runProgram(['id', '-u', 'postgres'])),
      Number(await runProgram(['id', '-g', 'postgres'])),
    )
  // PostgreSQL does not run as root.
  const asUser = isRoot ? ['runuser', '-u', 'postgres', '--'] : []
  const data = ['-D', join(home, 'data')]
  const trusted = ['-U', 'bench', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale', 'C']
  await runProgram([...asUser, join(programs, 'initdb'), ...data, ...trusted])
  const control = [...asUser, join(programs, 'pg_ctl'), ...data]
  const options = [`-k ${home}`, ...settings.map((setting) => `-c ${setting}`)].join(' ')
  await runProgram([...control, '-w', '-l', join(home, 'log'), '-o', options, 'start'])
  return () => runProgram([...control, '-m', 'immediate', 'stop'])
}

function programsIn(folder: string): string {
  const version = existsSync(folder) ? readdirSync(folder).toSorted((a, b) => Number(b) - Number(a))[0] : undefined
  if (version === undefined) throw new Error(`${folder} is missing`)
  return join(folder, version, 'bin')
}
