import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newestBackupTime, isBackupFolderWritable } from '../../backup/scheduled-backups.ts'
import type { Config } from '../../config.ts'
import { reserveFile_bytes, hasReserveFile, reserveFreeSpace_bytes } from '../../store/reserve-file.ts'
import { freeBytesIn, minFreeSpace_bytes } from '../../store/free-space.ts'
import { warnFinding, passFinding, type DoctorFinding } from './doctor-finding.ts'
import { toShellWord } from '../shell-word.ts'

const maxBackupAge_ms = 2 * 86_400_000

/** Checks the data folder: write access, free space, permissions, the reserve file and the backups. */
export function checkFolder({ data, backups, database }: Config, now: Date): DoctorFinding[] {
  return [
    checkWritable(data),
    checkFreeSpace(data),
    ...checkModes(data),
    ...(database === null ? [checkReserveFile(data)] : []),
    ...checkBackups(backups, now),
  ]
}

function checkWritable(data: string): DoctorFinding {
  const probeFile = join(data, `.doctor-${process.pid}`)
  try {
    writeFileSync(probeFile, 'x', { mode: 0o600 })
    return passFinding('folder', `${data} is writable.`)
  } catch (error) {
    return warnFinding(
      'folder',
      `${data} is not writable (${(error as NodeJS.ErrnoException).code}). The server runs in read-only mode. Make the folder writable for the user of the server, or remount its disk.`,
    )
  } finally {
    if (existsSync(probeFile)) rmSync(probeFile) // on a full disk, the file is created but the write fails
  }
}

function checkFreeSpace(data: string): DoctorFinding {
  const free_bytes = freeBytesIn(data)
  const free_mb = Math.floor(free_bytes / 1e6)
  return free_bytes >= minFreeSpace_bytes
    ? passFinding('disk_space', `${free_mb} MB free.`)
    : warnFinding(
        'disk_space',
        `Only ${free_mb} MB free on the disk of ${data}. New runs fail with storage_full. Free up disk space.`,
      )
}

/** The database holds token hashes and the key of the geocoding audit, so only its owner may read it. */
function checkModes(data: string): DoctorFinding[] {
  const paths = [
    data,
    ...readdirSync(data)
      .filter((name) => /^(?:state|cache)\.|^settings\.env$/.test(name))
      .map((name) => join(data, name)),
  ]
  const exposed = paths.filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0)
  if (exposed.length === 0)
    return [passFinding('permissions', 'Only the owner can read the data folder and its databases.')]
  return exposed.map((path) =>
    warnFinding(
      'permissions',
      `Other users can read ${path} (mode ${(statSync(path).mode & 0o777).toString(8)}). Run: chmod ${statSync(path).isDirectory() ? '700' : '600'} ${toShellWord(path)}`,
    ),
  )
}

function checkReserveFile(data: string): DoctorFinding {
  if (hasReserveFile(data))
    return passFinding('reserve_file', 'The reserve file exists. It is deleted to free space when the disk is full.')
  if (freeBytesIn(data) >= reserveFreeSpace_bytes)
    return passFinding(
      'reserve_file',
      'There is no reserve file yet. The server creates it at startup and checks it every hour.',
    )
  return warnFinding(
    'reserve_file',
    `The reserve file (${reserveFile_bytes / 1_048_576} MiB) is missing from ${data}, and there is too little free space to create it. Free up ${reserveFreeSpace_bytes / 1_048_576} MiB. When the disk is full, the server deletes the reserve file to free space.`,
  )
}

function checkBackups(backups: Config['backups'], now: Date): DoctorFinding[] {
  if (!backups) return []
  const newest = newestBackupTime(backups.folder)
  if (!isBackupFolderWritable(backups.folder))
    return [
      warnFinding(
        'backups',
        `FIELDSTONE_BACKUP_DIR ${backups.folder} is not writable. Make it writable for the user of the server.`,
      ),
    ]
  if (newest && now.getTime() - newest.getTime() <= maxBackupAge_ms)
    return [passFinding('backups', `The newest backup was made at ${newest.toISOString()}.`)]
  return [
    warnFinding(
      'backups',
      `${newest ? `The newest backup in ${backups.folder} is too old: it was made at ${newest.toISOString()}` : `There is no backup in ${backups.folder}`}. Look for "job_failed" in the log, or run \`fieldstone backup <file>\`.`,
    ),
  ]
}
