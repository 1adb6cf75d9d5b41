import type { BundledPackage } from './bundled-packages.ts'
import type { EmbeddedLayer } from './embedded.ts'

/** The contents of an executable. */
export type BuildContents = {
  version: string
  target: string
  file: string
  sha256: string
  bun: { version: string; runtime: string; integrity: string | null }
  packages: readonly BundledPackage[]
  layers: readonly EmbeddedLayer[]
}

/** Returns the SBOM of an executable in CycloneDX 1.6. It is reproducible: the same executable gives the same bytes. */
export function sbomOf(made: BuildContents): string {
  const { version, target, file, sha256 } = made
  const self = {
    type: 'application',
    'bom-ref': 'fieldstone',
    name: 'fieldstone',
    version,
    licenses: licensesOf('MIT'),
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    properties: [
      { name: 'fieldstone:target', value: target },
      { name: 'fieldstone:file', value: file },
    ],
  }
  const components = [bunComponent(made), ...made.packages.map(packageComponent), ...made.layers.map(layerComponent)]
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(sha256)}`,
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: self },
    components,
    dependencies: [
      { ref: 'fieldstone', dependsOn: components.map((it) => it['bom-ref']) },
      ...components.map((it) => ({ ref: it['bom-ref'], dependsOn: neededBy(it['bom-ref'], made.packages) })),
    ],
  }
  return `${JSON.stringify(bom, null, 2)}\n`
}

function bunComponent({ bun }: BuildContents): Component {
  return {
    type: 'platform',
    'bom-ref': 'bun',
    name: 'bun',
    version: bun.version,
    licenses: licensesOf('MIT'),
    purl: purlOf(bun.runtime, bun.version),
    ...hashesOf(bun.integrity),
    externalReferences: [{ type: 'website', url: 'https://bun.com' }],
    properties: [
      {
        name: 'fieldstone:note',
        value:
          'Bun links JavaScriptCore (LGPL-2) and further libraries statically: THIRD-PARTY-NOTICES.txt lists them.',
      },
    ],
  }
}

function packageComponent({ folder, name, version, license, homepage, integrity, inside }: BundledPackage): Component {
  return {
    type: 'library',
    'bom-ref': folder,
    name,
    version,
    licenses: licensesOf(license),
    purl: purlOf(name, version),
    ...hashesOf(integrity),
    ...(homepage === null ? {} : { externalReferences: [{ type: 'website', url: homepage }] }),
    ...(inside === null ? {} : { properties: [{ name: 'fieldstone:inside', value: inside }] }),
  }
}

function layerComponent({
  layer,
  title,
  packages,
  publisher,
  source_url,
  license,
  attribution,
  vintage,
}: EmbeddedLayer): Component {
  return {
    type: 'data',
    'bom-ref': `embedded:${layer}`,
    name: layer,
    version: vintage,
    description: title,
    publisher,
    copyright: attribution,
    licenses: [{ license: { name: license } }],
    externalReferences: [
      { type: 'website', url: source_url },
      ...packages.map(({ name, version, file, sha256 }) => ({
        type: 'distribution',
        url: purlOf(name, version),
        comment: file,
        hashes: [{ alg: 'SHA-256', content: sha256 }],
      })),
    ],
  }
}

type Component = { type: string; 'bom-ref': string; name: string; [member: string]: unknown }

function neededBy(ref: string, packages: readonly BundledPackage[]): string[] {
  const own = packages.find(({ folder }) => folder === ref)
  const found =
    own?.dependencies.flatMap(
      (name) =>
        packages.find(({ folder }) => folder === `${own.folder}/node_modules/${name}`) ??
        packages.find(({ folder }) => folder === `node_modules/${name}`) ??
        [],
    ) ?? []
  const inner = packages.filter(({ inside }) => own !== undefined && inside === own.name)
  return [...new Set([...found, ...inner].map(({ folder }) => folder))].sort()
}

/** Returns one license by its SPDX id, or several as an SPDX expression. */
function licensesOf(license: string): unknown[] {
  return /\s(OR|AND|WITH)\s/.test(license) ? [{ expression: license }] : [{ license: { id: license } }]
}

function hashesOf(integrity: string | null): { hashes?: { alg: string; content: string }[] } {
  return integrity?.startsWith('sha512-')
    ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }] }
    : {}
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** Returns a UUID (version 8) derived from the sha256 of the executable. */
function uuidOf(sha256: string): string {
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(sha256)!
  return `${a}-${b}-8${c}-8${d}-${e}`
}
