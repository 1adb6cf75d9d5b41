import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Dataset } from '../../catalog/records.ts'
import { UpstreamError } from '../../model/error.ts'
import { pluralize } from '../../model/text.ts'
import { sha256OfFile } from '../../files/byte-reader.ts'
import { withGeoKeys, findRasters, type RasterInput } from '../../build-packs/raster/raster-input.ts'
import { FileError } from '../../files/file-error.ts'
import { rasterRemedyText } from '../../raster/unsupported-raster.ts'
import { createWorkFolder } from '../../store/work-folder.ts'
import { installPack, makePackFolder, rasterManifest, type FinishedPack } from './pack-install.ts'
import type { PackCommandDeps } from './pack-deps.ts'
import { verifyRaster } from './pack-verify.ts'
import { rasterWarningsOf } from './pack-warnings.ts'
import { createStderrProgress } from '../progress.ts'
import { onInterrupt } from '../server/stop-signals.ts'
import type { Extent } from '../../model/area.ts'

/** The input files and the flags of `pack build` for a raster dataset. */
type RasterPackOptions = { inputs: string[]; out: string | null; vintage: string | null; coverage: unknown }

/**
 * Extracts the rasters of a dataset from the publisher's files, verifies that the server can read them, and publishes
 * them all.
 */
export async function buildRasterPack(
  id: string,
  dataset: Dataset,
  { inputs, out, vintage, coverage }: RasterPackOptions,
  deps: PackCommandDeps,
): Promise<number> {
  const matches = await findPackRasters(id, dataset, inputs)
  if (out !== null && matches.length > 1)
    throw new FileError(`--out and --part name one file, but ${id} consists of ${matches.length} files. Omit them.`)
  const targetFolder = out === null ? deps.folder : dirname(resolve(out))
  makePackFolder(targetFolder)
  const work = createWorkFolder(targetFolder)
  const interruptHandler = onInterrupt(work.remove)
  const progress = createStderrProgress(id)
  try {
    const finishedPacks: (FinishedPack & { source: string })[] = []
    for (const [i, { file, raster, ...match }] of matches.entries()) {
      const path = join(work.path, file)
      await raster.write(path, work.path)
      const bounds = await requireServable(path, raster.origin, deps)
      for (const warning of rasterWarningsOf(bounds)) deps.printError(`Warning: ${raster.origin}: ${warning}`)
      const edition =
        vintage ??
        dataset.vintage ??
        new Date(Math.max(...inputs.map((input) => statSync(input).mtimeMs))).toISOString().slice(0, 10)
      const sha256 = await sha256OfFile(path)
      const manifest = rasterManifest(
        { id, dataset, version: deps.version, coverage: coverage ?? match.coverage },
        { vintage: edition, sha256, source: raster.origin },
      )
      finishedPacks.push({
        path,
        out: out === null ? join(targetFolder, file) : resolve(out),
        manifest,
        checked: { sha256 },
        source: raster.origin,
      })
      progress.update((i + 1) / matches.length, file)
    }
    for (const it of finishedPacks) installPack(it, deps.config)
    progress.end()
    for (const it of finishedPacks)
      deps.print(`${it.out}: ${id}, from ${it.source}, ${pluralize(statSync(it.out).size, 'byte')}.`)
    return 0
  } finally {
    progress.end()
    interruptHandler.remove()
    work.remove()
  }
}

/** A raster of a dataset in its input files, and the pack file that it becomes. */
type PackRaster = { file: string; coverage: unknown; raster: RasterInput }

/** Finds the rasters of a dataset in its input files. @throws {FileError} if one is missing or ambiguous. */
export async function findPackRasters(id: string, dataset: Dataset, inputs: readonly string[]): Promise<PackRaster[]> {
  const found = await Promise.all(inputs.map((input) => findRasters(resolve(input))))
  return matchRasters(expectedRastersOf(dataset), found.flat(), id)
}

/**
 * A raster in the pack folder and its name in the publisher's archive. All rasters of a `group` are needed together.
 */
type ExpectedRaster = {
  file: string
  member: string | null
  keys: Readonly<Record<string, number>> | undefined
  coverage: unknown
  group: string
}

function expectedRastersOf({ serve, recipe, levels = [] }: Dataset): ExpectedRaster[] {
  const declaredRasters =
    recipe?.rasters ??
    serve.flatMap((serving) =>
      serving.driver === 'pack' && serving.file.endsWith('.tif') ? [{ file: serving.file, member: null }] : [],
    )
  return declaredRasters.flatMap((declared) => {
    const withLevel = (text: string, level: number | null) => text.replaceAll('{level}', String(level))
    const sharedMembers = {
      keys: 'geo_keys' in declared ? declared.geo_keys : undefined,
      coverage:
        'coverage' in declared && declared.coverage ? { type: 'Polygon', coordinates: declared.coverage } : null,
      group: declared.file,
    }
    return (declared.file.includes('{level}') ? levels : [null]).map((level) => ({
      file: withLevel(declared.file, level),
      member: declared.member === null ? null : withLevel(declared.member, level),
      ...sharedMembers,
    }))
  })
}

/**
 * Finds the input raster of each expected file by name. If one raster is expected and one is given, its name is
 * ignored.
 */
function matchRasters(expectedRasters: ExpectedRaster[], rasters: RasterInput[], id: string): PackRaster[] {
  if (expectedRasters.length === 1 && rasters.length === 1)
    return [{ ...expectedRasters[0]!, raster: withGeoKeys(rasters[0]!, expectedRasters[0]!.keys) }]
  const candidates = expectedRasters.map((it) => ({
    ...it,
    rasters: it.member === null ? [] : rasters.filter(({ name }) => patternOf(it.member!).test(name)),
  }))
  const ambiguous = candidates.find((it) => it.rasters.length > 1)
  if (ambiguous)
    throw new FileError(
      `Several inputs match ${ambiguous.member}: ${ambiguous.rasters.map(({ origin }) => origin).join(' and ')}. Pass only one of them.`,
    )
  const groups = new Set(candidates.filter((it) => it.rasters.length === 1).map(({ group }) => group))
  const missing = candidates.filter((it) => it.rasters.length === 0 && (groups.has(it.group) || groups.size === 0))
  if (missing.length > 0)
    throw new FileError(
      `The pack of ${id} needs ${missing.map(({ file, member }) => member ?? file).join(', ')}, but the input has ${
        rasters
          .map(({ name }) => name)
          .slice(0, 20)
          .join(', ') || 'no raster'
      }.`,
    )
  return candidates.flatMap((it) =>
    it.rasters.map((raster) => ({ file: it.file, coverage: it.coverage, raster: withGeoKeys(raster, it.keys) })),
  )
}

function patternOf(member: string): RegExp {
  return new RegExp(
    `^${member
      .split('*')
      .map((part) => part.replaceAll(/[^\w]/g, '\\$&'))
      .join('.*')}$`,
    'i',
  )
}

/** Verifies that the server can read a raster, and returns its bounds. @throws {FileError} if it cannot. */
export async function requireServable(path: string, from: string, deps: PackCommandDeps): Promise<Extent> {
  try {
    return await verifyRaster(path, deps)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    throw new FileError(`Cannot serve ${from}: ${error.message} ${rasterRemedyText(error)}`.trim(), { cause: error })
  }
}
