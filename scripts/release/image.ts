import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BuildError } from '../build/build-error.ts'
import type { Built } from './archive.ts'
import { tarOf, type TarMember } from './tar.ts'

/** The architectures of container images, by the processor that Bun names. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
/** The user of the image. The Dockerfile has the same. */
const user = 65532

/**
 * Writes an OCI image as a tar file, without a container engine: the executable and the C library that it is linked
 * with on this machine, so it is made only for the system of this machine. The tar also has the index that
 * `docker load` reads.
 */
export function writeImage(built: Built, into: string): void {
  const { version, system, at_s } = built
  const created = new Date(at_s * 1000).toISOString()
  const layer = tarOf(layerOf(built), at_s)
  const config = jsonOf({
    created,
    architecture: architectures[process.arch],
    os: 'linux',
    config: imageConfig,
    rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(layer)}`] },
    history: [{ created, created_by: 'npm run release' }],
  })
  const manifest = jsonOf({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: describe('application/vnd.oci.image.config.v1+json', config),
    layers: [describe('application/vnd.oci.image.layer.v1.tar', layer)],
  })
  const tag = `fieldstone:${version}`
  const index = jsonOf({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        ...describe('application/vnd.oci.image.manifest.v1+json', manifest),
        annotations: { 'org.opencontainers.image.ref.name': version, 'io.containerd.image.name': tag },
      },
    ],
  })
  const blobs = [config, layer, manifest].map((content) => file(`blobs/sha256/${sha256(content)}`, content))
  const forDocker = [{ Config: blobs[0]!.name, RepoTags: [tag], Layers: [blobs[1]!.name] }]
  const members = [
    file('oci-layout', jsonOf({ imageLayoutVersion: '1.0.0' })),
    file('index.json', index),
    file('manifest.json', jsonOf(forDocker)),
    folder('blobs'),
    folder('blobs/sha256'),
    ...blobs,
  ]
  writeFileSync(join(into, `fieldstone-${version}-${system}.oci.tar`), tarOf(members, at_s))
}

const imageConfig = {
  User: `${user}:${user}`,
  ExposedPorts: { '8080/tcp': {} },
  Env: ['FIELDSTONE_HOST=0.0.0.0', 'FIELDSTONE_PORT=8080', 'FIELDSTONE_DATA=/data'],
  Entrypoint: ['/usr/local/bin/fieldstone'],
  Cmd: ['serve'],
  Volumes: { '/data': {} },
  WorkingDir: '/data',
  StopSignal: 'SIGTERM',
  Healthcheck: {
    Test: ['CMD', '/usr/local/bin/fieldstone', 'healthcheck'],
    Interval: 15e9,
    Timeout: 5e9,
    StartPeriod: 20e9,
    Retries: 3,
  },
}

function layerOf({ folder: from, executable }: Built): TarMember[] {
  const program = join(from, executable)
  const files = [
    ...librariesOf(program).map((path) => file(path.slice(1), readFileSync(path), 0o755)),
    file('usr/local/bin/fieldstone', readFileSync(program), 0o755),
    file('usr/share/doc/fieldstone/THIRD-PARTY-NOTICES.txt', readFileSync(join(from, 'THIRD-PARTY-NOTICES.txt'))),
    file('etc/passwd', Buffer.from(`nonroot:x:${user}:${user}:nonroot:/data:/sbin/nologin\n`)),
    file('etc/group', Buffer.from(`nonroot:x:${user}:\n`)),
    file('etc/nsswitch.conf', Buffer.from('hosts: files dns\n')),
  ]
  const folders = new Set(files.flatMap(({ name }) => parentsOf(name)))
  return [
    ...[...folders].toSorted().map((name) => folder(name)),
    { name: 'tmp', mode: 0o1777 },
    // A new volume inherits the owner and mode of this folder.
    { name: 'data', mode: 0o700, owner: user },
    ...files,
  ]
}

/** Returns the files of the C library and the loader that the executable needs, according to ldd. */
function librariesOf(program: string): string[] {
  const { exitCode, stdout } = Bun.spawnSync(['ldd', program], { stderr: 'ignore' })
  const paths = [...stdout.toString().matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path!)
  if (exitCode !== 0 || paths.length === 0) throw new BuildError(`ldd cannot list the libraries of ${program}.`)
  return [...new Set(paths)].toSorted()
}

function parentsOf(name: string): string[] {
  const parent = dirname(name)
  return parent === '.' ? [] : [...parentsOf(parent), parent]
}

function file(name: string, content: Uint8Array, mode = 0o644): TarMember {
  return { name, mode, content }
}

function folder(name: string): TarMember {
  return { name, mode: 0o755 }
}

function describe(mediaType: string, content: Uint8Array) {
  return { mediaType, digest: `sha256:${sha256(content)}`, size: content.length }
}

function jsonOf(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

function sha256(content: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(content).digest('hex')
}
