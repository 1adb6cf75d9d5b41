import { formatNames } from './geopackage/geopackage.ts'
import { FileError } from './file-error.ts'
import type { InputOptions } from './input-file.ts'

/**
 * Chooses a layer: the one named by the operator, otherwise the only one, otherwise the one with the catalog's name,
 * with or without the prefixes and numbers that publishers add (`DC_Wetlands`, `tl_2025_us_county`).
 * @throws FileError if there is no such layer, or several.
 */
export function chooseLayer<Layer extends { name: string }>(
  layers: readonly Layer[],
  {
    layer,
    expectedLayer,
    layerOption = '--source-layer',
  }: Pick<InputOptions, 'layer' | 'expectedLayer' | 'layerOption'>,
  file: string,
): Layer {
  const layersNamed = (name: string) => layers.filter((it) => it.name.toLowerCase() === name.toLowerCase())
  if (layer !== null) {
    const [found] = layersNamed(layer)
    if (found) return found
    throw new FileError(`${file} has no layer ${layer}. Its layers: ${formatNames(layers.map(({ name }) => name))}.`)
  }
  if (layers.length === 1) return layers[0]!
  const choice = `Choose a layer with ${layerOption}.`
  if (expectedLayer === '')
    throw new FileError(`${file} has several layers: ${formatNames(layers.map(({ name }) => name))}. ${choice}`)
  const affixed = new RegExp(`_${expectedLayer.replaceAll(/\W/g, '.')}\\d*$`, 'i')
  const matching = [layersNamed(expectedLayer), layers.filter(({ name }) => affixed.test(name))].find(
    (some) => some.length === 1,
  )
  if (matching) return matching[0]!
  throw new FileError(
    `${file} has several layers (${formatNames(layers.map(({ name }) => name))}). The name ${expectedLayer} does not identify exactly one of them. ${choice}`,
  )
}
