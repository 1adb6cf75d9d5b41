import { join, relative, resolve } from 'node:path'
import { noDeadline } from '../../async/deadline.ts'
import { UpstreamError } from '../../model/error.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { addressPackPattern } from '../../packs/addresses/address-pack-folder.ts'
import { sha256OfFile } from '../../files/byte-reader.ts'
import { FileError } from '../../files/file-error.ts'
import { manifestName } from '../../packs/pack-manifest.ts'
import { packPathPattern } from '../../packs/part-files.ts'
import { readStorageFile, type StorageReader } from '../../storage/copy-file.ts'
import { packVersionsIn, type PackVersion } from '../../storage/pack-versions.ts'
import { openS3Storage, type S3Storage } from '../../storage/s3-storage.ts'
import { openStorageClient } from '../../storage/open-storage.ts'
import type { S3Location } from '../../storage/storage-location.ts'
import { exitCodes } from '../exit-codes.ts'
import type { PackCommandDeps } from './pack-deps.ts'
import { readExistingManifest } from './pack-install.ts'
import { findPackPaths, findPackProblems, listPackFilePaths } from './pack-verify.ts'

/** `fieldstone pack publish`: verifies packs, and writes them with their manifests to the S3 bucket. */
export async function publishPacks(args: string[], deps: PackCommandDeps): Promise<number> {
  const location = requireBucket(deps)
  const files = (args.length > 0 ? args.flatMap((arg) => findPackPaths(arg, deps)) : listPackFilePaths(deps)).map(
    (path) => requirePackFile(path, deps),
  )
  if (files.length === 0) throw new FileError(`No packs in ${deps.folder}. Build or fetch one first.`)
  if (!(await areValid(files, deps))) return exitCodes.failure
  const net = openStorageClient(location, { ...deps, now: () => new Date() })
  try {
    const storage = openS3Storage(location)
    for (const file of files) deps.print(await publishPack(file, deps.folder, { storage, net }))
    return 0
  } catch (error) {
    if (error instanceof UpstreamError) throw new FileError(error.message, { cause: error })
    throw error
  } finally {
    net.close()
  }
}

function requireBucket({ config: { pack_storage, offline } }: PackCommandDeps): S3Location {
  if (pack_storage?.kind !== 's3')
    throw new FileError(
      '`pack publish` writes to an S3 bucket. Set FIELDSTONE_PACKS to s3://bucket/prefix. To publish on a web server, copy the files and their manifests to its folder.',
    )
  if (offline) throw new FileError('`pack publish` needs the network. Set FIELDSTONE_OFFLINE to 0.')
  return pack_storage
}

/** The path of a pack in the packs folder. */
function requirePackFile(path: string, { folder }: PackCommandDeps): string {
  const file = relative(resolve(folder), resolve(path))
  if (packPathPattern.test(file) || addressPackPattern.test(file)) return file
  throw new FileError(`${path} is not in ${folder}. \`pack publish\` writes packs of this folder.`)
}

/** Verifies all packs before the first is written. */
async function areValid(files: readonly string[], deps: PackCommandDeps): Promise<boolean> {
  let isValid = true
  for (const file of files) {
    const problems = await findPackProblems(join(deps.folder, file), deps)
    if (problems.length === 0) continue
    deps.printError(`${file}: ${problems.join(' ')}`)
    isValid = false
  }
  if (!isValid) deps.printError('No pack was published.')
  return isValid
}

/** Publishes a pack of a folder. Returns a line that says what was done. */
async function publishPack(
  file: string,
  folder: string,
  { storage, net }: { storage: S3Storage; net: HttpClient },
): Promise<string> {
  const path = join(folder, file)
  const manifest = { ...readExistingManifest(path), sha256: await sha256OfFile(path) }
  const earlier = await versionInStorage(file, storage)
  const earlierText = earlier ? await readStoredManifest({ net, storage }, earlier) : null
  if (earlier && earlierText === textOfManifest({ ...manifest, stored_version: earlier.pack.version }))
    return `${file} is already published.`
  const writeManifest = async (record: object) => storage.write(manifestName(file), textOfManifest(record), noDeadline)
  // Servers take a pack only if its manifest names its version. Until then, they use the earlier version.
  if (!earlierText?.includes('"stored_version"')) await writeManifest({ stored_version: 'none yet' })
  await storage.write(file, Bun.file(path), noDeadline)
  const written = await versionInStorage(file, storage)
  if (written?.pack.size_bytes !== Bun.file(path).size)
    throw new FileError(
      `${file} was not published completely. Another process may have written it. Run the command again.`,
    )
  await writeManifest({ ...manifest, stored_version: written.pack.version })
  return `Published ${file} (${written.pack.size_bytes} bytes) to ${storage.location}.`
}

async function versionInStorage(file: string, storage: S3Storage): Promise<PackVersion | undefined> {
  return packVersionsIn(await storage.list(noDeadline)).get(file)
}

function textOfManifest(manifest: object): string {
  return `${JSON.stringify(manifest)}\n`
}

/** Null if there is no manifest. */
async function readStoredManifest(reader: StorageReader, { manifest }: PackVersion): Promise<string | null> {
  return manifest && new TextDecoder().decode(await readStorageFile(reader, manifest, noDeadline))
}
