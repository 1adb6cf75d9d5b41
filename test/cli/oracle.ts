import { SQL } from 'bun'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The output of a program. Throws with its error output if it fails. */
export async function runOracle(command: string[], input = ''): Promise<string> {
  const child = Bun.spawn(command, { stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' })
  const [out, complaint] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (child.exitCode !== 0) throw new Error(`${command[0]} ended with ${child.exitCode}: ${complaint}`)
  return out
}

/** Whether GDAL's programs are installed. */
export const hasGdal = ['ogr2ogr', 'gdal_translate', 'gdallocationinfo', 'gdaldem', 'gdaltransform'].every(
  (it) => Bun.which(it) !== null,
)

/** The folder of Debian's newest PostgreSQL, if PostGIS is installed too. */
const programs = ((folder) => {
  const version = existsSync(folder) ? readdirSync(folder).toSorted((a, b) => Number(b) - Number(a))[0] : undefined
  return version !== undefined && existsSync(`/usr/share/postgresql/${version}/extension/postgis.control`)
    ? join(folder, version, 'bin')
    : null
})('/usr/lib/postgresql')
export const hasPostgis = programs !== null && hasGdal && process.platform === 'linux'

/** A temporary PostGIS server on a local socket. */
export type OraclePostgis = {
  /**
   * Reads a layer that ogr2ogr can read into a table in degrees, with `geom` (planar) and `geog` (on the ellipsoid).
   */
  load(table: string, from: string[]): Promise<void>
  rows<Row>(sql: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export async function openOraclePostgis(): Promise<OraclePostgis> {
  const home = mkdtempSync(join(tmpdir(), 'fieldstone-postgis-'))
  const sockets = join(home, 'sockets')
  mkdirSync(sockets)
  chmodSync(home, 0o755)
  const isRoot = process.getuid!() === 0
  // PostgreSQL does not run as root.
  const asUser = isRoot ? ['runuser', '-u', 'postgres', '--'] : []
  if (isRoot)
    for (const it of [home, sockets])
      chownSync(
        it,
        Number(await runOracle(['id', '-u', 'postgres'])),
        Number(await runOracle(['id', '-g', 'postgres'])),
      )
  const control = [...asUser, join(programs!, 'pg_ctl'), '-D', join(home, 'data')]
  await runOracle([
    ...asUser,
    join(programs!, 'initdb'),
    '-D',
    join(home, 'data'),
    '-U',
    'oracle',
    '-A',
    'trust',
    '--no-sync',
    '-E',
    'UTF8',
    '--locale',
    'C',
  ])
  await runOracle([
    ...control,
    '-w',
    '-l',
    join(home, 'log'),
    '-o',
    `-k ${sockets} -c listen_addresses= -c fsync=off -c jit=off`,
    'start',
  ])
  const sql = new SQL({
    adapter: 'postgres',
    path: join(sockets, '.s.PGSQL.5432'),
    database: 'postgres',
    username: 'oracle',
    max: 1,
  })
  await sql.unsafe('CREATE EXTENSION postgis')
  return {
    async load(table, from) {
      await runOracle([
        'ogr2ogr',
        '-f',
        'PostgreSQL',
        `PG:host=${sockets} dbname=postgres user=oracle`,
        ...from,
        '-nln',
        table,
        '-t_srs',
        'EPSG:4326',
        '-lco',
        'GEOMETRY_NAME=geom',
        '-lco',
        'FID=fid',
        '-nlt',
        'PROMOTE_TO_MULTI',
        '--config',
        'PG_USE_COPY',
        'YES',
      ])
      await sql.unsafe(
        `ALTER TABLE ${table} ADD COLUMN geog geography; UPDATE ${table} SET geog = geom::geography; CREATE INDEX ON ${table} USING gist (geog); ANALYZE ${table}`,
      )
    },
    rows: async <Row>(text: string, values: unknown[] = []) => (await sql.unsafe(text, values)) as Row[],
    async close() {
      await sql.close()
      await runOracle([...control, '-m', 'immediate', 'stop'])
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A raster decoded by GDAL: its values, and the cell of a coordinate, computed by PROJ. */
export type GdalRaster = {
  width: number
  height: number
  cells: ArrayLike<number>
  placed(points: readonly { lat: number; lng: number }[]): Promise<{ x: number; y: number }[]>
}

export async function decodeWithGdal(path: string, folder: string): Promise<GdalRaster> {
  const out = join(folder, `${Bun.hash(path)}.raw`)
  const { size, geoTransform, bands } = JSON.parse(await runOracle(['gdalinfo', '-json', path])) as {
    size: [number, number]
    geoTransform: number[]
    bands: { type: string }[]
  }
  await runOracle(['gdal_translate', '-q', '-of', 'ENVI', path, out])
  const bytes = await Bun.file(out).arrayBuffer()
  const [west, step_x, , north, , step_y] = geoTransform as [number, number, number, number, number, number]
  const system = join(folder, `${Bun.hash(path)}.wkt`)
  await Bun.write(system, await runOracle(['gdalsrsinfo', '-o', 'wkt2', path]))
  return {
    width: size[0],
    height: size[1],
    cells: bands[0]!.type === 'Float32' ? new Float32Array(bytes) : new Uint8Array(bytes),
    async placed(points) {
      const lines = await runOracle(
        ['gdaltransform', '-s_srs', 'OGC:CRS84', '-t_srs', system, '-output_xy'],
        points.map(({ lat, lng }) => `${lng} ${lat}`).join('\n'),
      )
      return lines
        .trim()
        .split('\n')
        .map((line) => {
          const [x, y] = line.split(' ').map(Number) as [number, number]
          return { x: (x - west) / step_x, y: (y - north) / step_y }
        })
    },
  }
}
