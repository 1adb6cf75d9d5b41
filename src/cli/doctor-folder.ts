import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newestBackupTime, isBackupFolderWritable } from '../backup/scheduled-backups.ts'
import type { Config } from '../config.ts'
import { reserveFile_bytes, hasReserveFile, reserveFreeSpace_bytes } from '../store/reserve-file.ts'
import { freeBytesIn, minFreeSpace_bytes } from '../store/free-space.ts'
import { warnFinding, passFinding, type DoctorFinding } from './doctor-finding.ts'
import { toShellWord } from './shell-word.ts'

const maxBackupAge_ms = 2 * 86_400_000

/** Looks at the data folder itself: can it be written, is there room, who may read it, the ballast, the backups. */
export function checkFolder({ data, backups }: Config, now: Date): DoctorFinding[] {
  return [
    checkWritable(data),
    checkFreeSpace(data),
    ...checkModes(data),
    checkReserveFile(data),
    ...checkBackups(backups, now),
  ]
}

function checkWritable(data: string): DoctorFinding {
  const probeFile = join(data, `.doctor-${process.pid}`)
  try {
    writeFileSync(probeFile, 'x', { mode: 0o600 })
    return passFinding('folder', `${data} can be written.`)
  } catch (error) {
    return warnFinding(
      'folder',
      `${data} cannot be written (${(error as NodeJS.ErrnoException).code}): the service answers what is there and takes nothing in. Make the folder writable for the user of the service, or remount its disk.`,
    )
  } finally {
    if (existsSync(probeFile)) rmSync(probeFile) // on a full disk it is made, and then cannot be filled
  }
}

function checkFreeSpace(data: string): DoctorFinding {
  const free_bytes = freeBytesIn(data)
  const free_mb = Math.floor(free_bytes / 1e6)
  return free_bytes >= minFreeSpace_bytes
    ? passFinding('room', `${free_mb} MB are free.`)
    : warnFinding(
        'room',
        `Only ${free_mb} MB are free on the disk of ${data}: runs are refused (storage_full). Make room.`,
      )
}

/** The state holds hashes of tokens and the keys of the record of geocoding: it is for its owner alone. */
function checkModes(data: string): DoctorFinding[] {
  const paths = [
    data,
    ...readdirSync(data)
      .filter((name) => /^(?:state|cache)\.|^settings\.env$/.test(name))
      .map((name) => join(data, name)),
  ]
  const exposed = paths.filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0)
  if (exposed.length === 0)
    return [passFinding('modes', 'The data folder and its databases are readable by their owner alone.')]
  return exposed.map((path) =>
    warnFinding(
      'modes',
      `${path} can be read by others (${(statSync(path).mode & 0o777).toString(8)}): chmod ${statSync(path).isDirectory() ? '700' : '600'} ${toShellWord(path)}`,
    ),
  )
}

function checkReserveFile(data: string): DoctorFinding {
  if (hasReserveFile(data))
    return passFinding('reserve_file', 'The ballast is there: it makes room when the disk is full.')
  if (freeBytesIn(data) >= reserveFreeSpace_bytes)
    return passFinding(
      'reserve_file',
      'There is no ballast yet: a service lays it when it starts, and looks after it every hour.',
    )
  return warnFinding(
    'reserve_file',
    `There is no ballast in ${data} (${reserveFile_bytes / 1_048_576} MiB that are given back when the disk is full), and no room to lay it: make ${reserveFreeSpace_bytes / 1_048_576} MiB free.`,
  )
}

function checkBackups(backups: Config['backups'], now: Date): DoctorFinding[] {
  if (!backups) return []
  const newest = newestBackupTime(backups.folder)
  if (!isBackupFolderWritable(backups.folder))
    return [
      warnFinding(
        'backups',
        `${backups.folder} of FIELDSTONE_BACKUP_DIR cannot be written: make it writable for the user of the service.`,
      ),
    ]
  if (newest && now.getTime() - newest.getTime() <= maxBackupAge_ms)
    return [passFinding('backups', `The newest backup is of ${newest.toISOString()}.`)]
  return [
    warnFinding(
      'backups',
      `${newest ? `The newest backup in ${backups.folder} is of ${newest.toISOString()}` : `There is no backup in ${backups.folder}`}: look for "chore" in the log, or make one with \`fieldstone backup <file>\`.`,
    ),
  ]
}
