import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readPackage, type BundledPackage } from './bundled-packages.ts'
import { dataFolderOf } from '../embed/layer.ts'
import type { EmbeddedLayer } from './embedded.ts'
import { root } from './root.ts'
import { mapWater, mapPackages } from '../web/base-map.ts'

const rule = '='.repeat(100)

/** Returns the third-party notices of the executable: packages, data and Bun, each with its license. */
export function noticesOf(packages: readonly BundledPackage[], layers: readonly EmbeddedLayer[]): string {
  const carriers = [...new Set([...layers.flatMap((layer) => layer.packages.map(({ name }) => name)), ...mapPackages])]
    .sort()
    .map((name) => readPackage(dataFolderOf(name)))
  return `${[
    'Fieldstone is under the MIT license. The executable holds work of others, named here with its license:\nthe embedded data, the packages that carry them, the packages that are bundled, and Bun.',
    heading('Embedded data'),
    ...layers.map(layerText),
    ['Lakes and rivers on the maps', ...creditOf(mapWater)].join('\n'),
    heading('Packages that carry the embedded data'),
    ...carriers.map(packageText),
    heading('Bundled packages'),
    ...packages.map(packageText),
    heading(`Bun ${Bun.version}`),
    bunText(),
  ].join('\n\n')}\n`
}

/** Returns the license and notice files of a package, ordered by name. */
function licenseFiles(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => /^(licen[cs]e|notice|copying|copyright)|\.LICENSE\.txt$/i.test(name))
    .sort()
}

function heading(words: string): string {
  return `${rule}\n${words}\n${rule}`
}

function layerText({ title, publisher, attribution, license, vintage, source_url, derivation }: EmbeddedLayer): string {
  return [
    `${title} (${vintage})`,
    `  publisher: ${publisher}`,
    ...creditOf({ attribution, license }),
    `  source: ${source_url}`,
    `  made: ${derivation}`,
  ].join('\n')
}

function creditOf({ attribution, license }: Pick<EmbeddedLayer, 'attribution' | 'license'>): string[] {
  return [`  credit: ${attribution}`, `  license: ${license}`, ...linkOf(license)]
}

function linkOf(license: string): string[] {
  if (license.includes('ODbL')) return ['  license text: https://opendatacommons.org/licenses/odbl/1-0/']
  return license.includes('CC BY 4.0') ? ['  license text: https://creativecommons.org/licenses/by/4.0/legalcode'] : []
}

function packageText({ folder, name, version, license, author }: BundledPackage): string {
  const files = licenseFiles(folder)
  const texts = files.map((file) =>
    readFileSync(join(root, folder, file), 'utf8')
      .replaceAll('\r\n', '\n')
      .trim(),
  )
  const none = `The package has no file with its license; its package.json says ${license}${author === null ? '' : `, and names ${author} as its author`}.`
  return [`--- ${name} ${version} (${license})`, ...(texts.length > 0 ? texts : [none])].join('\n\n')
}

/** Returns the part of Bun's documentation about its license and linked libraries. */
function bunText(): string {
  return readFileSync(join(root, 'node_modules', 'bun-types', 'docs', 'project', 'license.mdx'), 'utf8')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/-{4,}/g, '---')
    .trim()
}
