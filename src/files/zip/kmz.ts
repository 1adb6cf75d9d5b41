import { FileError } from '../file-error.ts'
import type { ZipEntry } from './zip.ts'

const shownMax = 10

/**
 * The KML file of an archive to which a KML file without placemarks links; null if there is none. GDAL writes such
 * files. @throws FileError if there are several.
 */
export function linkedKmlEntry(kml: string, entries: readonly ZipEntry[], name: string): ZipEntry | null {
  if (kml.includes('<Placemark')) return null
  const links = [...kml.matchAll(/<href>([^<]*)<\/href>/g)].map(([, href]) => href!.trim())
  const linked = entries.filter(({ path }) => links.includes(path))
  if (linked.length > 1) throw severalLayersError(linked, name)
  return linked[0] ?? null
}

/** The error of an archive that has several layers. */
export function severalLayersError(layers: readonly ZipEntry[], name: string): FileError {
  const paths = layers.slice(0, shownMax).map(({ path }) => path)
  return new FileError(
    `${name} contains ${layers.length} layers: ${paths.join(', ')}. Use an archive with one of them.`,
  )
}
