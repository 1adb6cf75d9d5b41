import { createReadStream, readFileSync } from 'node:fs'
import { FileError } from '../../files/file-error.ts'
import { writeGeotiff, type CellLayout } from '../../files/geotiff-writer.ts'
import { findSidecar } from '../../files/byte-reader.ts'

/** Converts a raw raster (`.bil` with a `.hdr` and an optional `.prj` next to it) to a GeoTIFF. */
export async function convertBilToGeotiff(path: string, to: string, name: string): Promise<void> {
  const stem = path.replace(/\.bil$/i, '')
  const header = findSidecar(stem, 'hdr')
  if (header === null) throw new FileError(`${name} is a raw raster and has no .hdr file next to it. Put it there.`)
  const prj = findSidecar(stem, 'prj')
  if (prj !== null && !/^\s*GEOGCS\[/i.test(readFileSync(prj, 'latin1')))
    throw new FileError(
      `The .prj of ${name} says that it is not in degrees. Convert it with gdalwarp -t_srs EPSG:4326.`,
    )
  await writeGeotiff(to, parseHeader(readFileSync(header, 'latin1'), name), createReadStream(path))
}

/** We treat degrees on NAD 83 and WGS 84 as equal. */
const nad83 = 4269
const kinds: Record<string, CellLayout['kind']> = { FLOAT: 'float', SIGNEDINT: 'signed', UNSIGNEDINT: 'unsigned' }

function parseHeader(header: string, name: string): CellLayout {
  const values = new Map(
    header.split(/\r?\n/).map((line): [string, string] => {
      const [word = '', value = ''] = line.trim().split(/\s+/)
      return [word.toUpperCase(), value]
    }),
  )
  const number = (word: string, fallback?: number) => {
    const value = values.has(word) ? Number(values.get(word)) : fallback
    if (value === undefined || !Number.isFinite(value)) throw new FileError(`The .hdr of ${name} has no ${word}.`)
    return value
  }
  const [bits, kind] = [number('NBITS'), kinds[(values.get('PIXELTYPE') ?? 'UNSIGNEDINT').toUpperCase()]]
  if (number('NBANDS', 1) !== 1 || number('SKIPBYTES', 0) !== 0 || !kind || ![8, 16, 32].includes(bits)) {
    throw new FileError(
      `${name} has ${values.get('NBANDS') ?? 1} bands of ${bits} bits (${values.get('PIXELTYPE') ?? 'no PIXELTYPE'}). Expected one band of 8, 16 or 32 bits.`,
    )
  }
  const nodata = values.get('NODATA') ?? values.get('NODATA_VALUE')
  return {
    width: number('NCOLS'),
    height: number('NROWS'),
    bits,
    kind,
    littleEndian: (values.get('BYTEORDER') ?? 'I').toUpperCase() !== 'M',
    nodata: nodata === undefined ? null : Number(nodata),
    center: [number('ULXMAP'), number('ULYMAP')],
    step: [number('XDIM'), number('YDIM')],
    epsg: nad83,
  }
}
