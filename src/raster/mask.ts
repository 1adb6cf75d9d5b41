import type { Budget } from '../model/source.ts'
import { corruptTiffError, type TiffDirectory } from './tiff-directory.ts'
import { UnsupportedRasterError } from './unsupported-raster.ts'

/** The tags that describe a mask. */
export const maskTags = { subfile: 254, fillOrder: 266, extraSamples: 338 }
const sizeTags = [256, 257] as const

const reducedImage = 1
const transparencyMask = 4
const alphaKinds = [1, 2]
/** An image, its mask and their overviews are fewer. */
const imagesMax = 64

/** Returns the band of a raster whose cells are 0 where the others have no value; null if there is none. */
export function alphaBandOf({ numbers }: TiffDirectory, bands: number): number | null {
  const kinds = numbers(maskTags.extraSamples) ?? []
  const alpha = kinds.findIndex((kind) => alphaKinds.includes(kind))
  return alpha < 0 ? null : bands - kinds.length + alpha + 1
}

/** Finds the mask among the images of a file, which can be after the overviews. Null if there is none. */
export async function findMask(main: TiffDirectory, budget: Budget): Promise<TiffDirectory | null> {
  if (saysNoMask(main)) return null
  let images = 1
  for (let image = await main.next?.(budget); image; image = await image.next?.(budget)) {
    if (++images > imagesMax) throw corruptTiffError(`has more than ${imagesMax} images`)
    if (isMaskOf(main, image)) return requireReadableMask(image)
  }
  return null
}

/** GDAL writes into the header of a COG that it has a mask, unless the file was changed afterwards. */
function saysNoMask({ structure }: TiffDirectory): boolean {
  return (
    structure.includes('LAYOUT=IFDS_BEFORE_DATA') &&
    structure.includes('KNOWN_INCOMPATIBLE_EDITION=NO') &&
    !structure.includes('MASK_INTERLEAVED_WITH_IMAGERY')
  )
}

function isMaskOf(main: TiffDirectory, image: TiffDirectory): boolean {
  const kind = image.numbers(maskTags.subfile)?.[0] ?? 0
  const isSameSize = sizeTags.every((tag) => image.numbers(tag)?.[0] === main.numbers(tag)?.[0])
  return (kind & transparencyMask) !== 0 && (kind & reducedImage) === 0 && isSameSize
}

function requireReadableMask(mask: TiffDirectory): TiffDirectory {
  if ((mask.numbers(maskTags.fillOrder)?.[0] ?? 1) === 1) return mask
  throw new UnsupportedRasterError('The raster has a mask whose bits are in reverse order.', 'convert')
}
