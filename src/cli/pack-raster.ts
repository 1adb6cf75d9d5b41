import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Dataset } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import { pluralize } from '../model/pluralize.ts'
import { sha256OfFile } from '../packs/import/build-pack.ts'
import { withGeoKeys, findRasters, type RasterInput } from '../packs/import/raster-input.ts'
import { PackError } from '../packs/pack-error.ts'
import { onInterrupt } from './on-interrupt.ts'
import { makePackFolder } from './pack-folder.ts'
import { publish, rasterManifest, type Finished } from './pack-publish.ts'
import type { PackTools } from './pack-tools.ts'
import { checkRaster } from './pack-verify.ts'
import { progressHere } from './progress.ts'

/** Which files, and what the operator says of them. */
type Given = { inputs: string[]; out: string | null; vintage: string | null; coverage: unknown }

/** Takes the rasters of a dataset out of the publisher's files, looks at each as the service will, and puts all of them in their places at once. */
export async function packRaster(id: string, dataset: Dataset, { inputs, out, vintage, coverage }: Given, tools: PackTools): Promise<number> {
  const wanted = wantedOf(dataset)
  const found = inputs.flatMap((input) => findRasters(resolve(input)))
  const chosen = chosenOf(wanted, found, id)
  if (out !== null && chosen.length > 1) throw new PackError(`--out names one file, and ${id} is made of ${chosen.length}.`)
  const into = out === null ? tools.folder : dirname(resolve(out))
  makePackFolder(into)
  const folder = mkdtempSync(join(into, '.fieldstone-build-'))
  const interrupted = onInterrupt(() => rmSync(folder, { recursive: true, force: true }))
  const progress = progressHere(id)
  try {
    const finished: (Finished & { source: string })[] = []
    for (const [i, { file, raster, ...own }] of chosen.entries()) {
      const path = join(folder, file)
      await raster.write(path, folder)
      await checked(path, raster.origin, tools)
      const edition = vintage ?? dataset.vintage ?? new Date(Math.max(...inputs.map((input) => statSync(input).mtimeMs))).toISOString().slice(0, 10)
      const manifest = rasterManifest({ id, dataset, version: tools.version, vintage: edition, coverage: coverage ?? own.coverage, sha256: await sha256OfFile(path), source: raster.origin })
      finished.push({ path, out: out === null ? join(into, file) : resolve(out), manifest, source: raster.origin })
      progress.at((i + 1) / chosen.length, file)
    }
    for (const it of finished) publish(it)
    progress.end()
    for (const it of finished) tools.print(`${it.out}: ${id}, from ${it.source}, ${pluralize(statSync(it.out).size, 'byte')}.`)
    return 0
  } finally {
    progress.end()
    interrupted.over()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A raster of the packs folder and what the publisher calls it; `group`: those that are of use only together. */
type Wanted = { file: string; member: string | null; keys: Readonly<Record<string, number>> | undefined; coverage: unknown; group: string }

function wantedOf({ serve, recipe, levels = [] }: Dataset): Wanted[] {
  const made = recipe?.rasters ?? serve.flatMap((way) => (way.driver === 'pack' && way.file.endsWith('.tif') ? [{ file: way.file, member: null }] : []))
  return made.flatMap((it) => {
    const at = (text: string, level: number | null) => text.replaceAll('{level}', String(level))
    const own = { keys: 'geo_keys' in it ? it.geo_keys : undefined, coverage: 'coverage' in it && it.coverage ? { type: 'Polygon', coordinates: it.coverage } : null, group: it.file }
    return (it.file.includes('{level}') ? levels : [null]).map((level) => ({ file: at(it.file, level), member: it.member === null ? null : at(it.member, level), ...own }))
  })
}

/** The raster of each file, by its name; where one raster is wanted and one is there, whatever it is called. */
function chosenOf(wanted: Wanted[], found: RasterInput[], id: string): { file: string; coverage: unknown; raster: RasterInput }[] {
  if (wanted.length === 1 && found.length === 1) return [{ ...wanted[0]!, raster: withGeoKeys(found[0]!, wanted[0]!.keys) }]
  const matched = wanted.map((it) => ({ ...it, found: it.member === null ? [] : found.filter(({ name }) => patternOf(it.member!).test(name)) }))
  const several = matched.find((it) => it.found.length > 1)
  if (several) throw new PackError(`${several.member} is ${several.found.map(({ origin }) => origin).join(' and ')}: give one of them.`)
  const groups = new Set(matched.filter((it) => it.found.length === 1).map(({ group }) => group))
  const lacking = matched.filter((it) => it.found.length === 0 && (groups.has(it.group) || groups.size === 0))
  if (lacking.length > 0) throw new PackError(`The pack of ${id} is made of ${lacking.map(({ file, member }) => member ?? file).join(', ')}, and the input has ${found.map(({ name }) => name).slice(0, 20).join(', ') || 'no raster'}.`)
  return matched.flatMap((it) => it.found.map((raster) => ({ file: it.file, coverage: it.coverage, raster: withGeoKeys(raster, it.keys) })))
}

function patternOf(member: string): RegExp {
  return new RegExp(`^${member.split('*').map((part) => part.replaceAll(/[^\w]/g, '\\$&')).join('.*')}$`, 'i')
}

async function checked(path: string, from: string, tools: PackTools): Promise<void> {
  try {
    await checkRaster(path, tools)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    throw new PackError(`${from} cannot be served: ${error.message} gdal_translate -of COG -co COMPRESS=DEFLATE writes it anew.`, { cause: error })
  }
}
