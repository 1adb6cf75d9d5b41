import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newestIn, takesBackups } from '../backup/backups.ts'
import type { Config } from '../config.ts'
import { ballast_bytes, hasBallast, plenty_bytes } from '../store/ballast.ts'
import { freeIn, roomMin_bytes } from '../store/free-room.ts'
import { faulty, good, type Found } from './doctor-finding.ts'
import { shellWord } from './shell-word.ts'

const backupAgeMax_ms = 2 * 86_400_000

/** Looks at the data folder itself: can it be written, is there room, who may read it, the ballast, the backups. */
export function folderFindings({ data, backups }: Config, now: Date): Found[] {
  return [writing(data), room(data), ...modes(data), ballast(data), ...backupsIn(backups, now)]
}

function writing(data: string): Found {
  const trial = join(data, `.doctor-${process.pid}`)
  try {
    writeFileSync(trial, 'x', { mode: 0o600 })
    return good('folder', `${data} can be written.`)
  } catch (error) {
    return faulty('folder', `${data} cannot be written (${(error as NodeJS.ErrnoException).code}): the service answers what is there and takes nothing in. Make the folder writable for the user of the service, or remount its disk.`)
  } finally {
    if (existsSync(trial)) rmSync(trial) // on a full disk it is made, and then cannot be filled
  }
}

function room(data: string): Found {
  const free_bytes = freeIn(data)
  const free_mb = Math.floor(free_bytes / 1e6)
  return free_bytes >= roomMin_bytes ? good('room', `${free_mb} MB are free.`) : faulty('room', `Only ${free_mb} MB are free on the disk of ${data}: runs are refused (storage_full). Make room.`)
}

/** The state holds hashes of tokens and the keys of the record of geocoding: it is for its owner alone. */
function modes(data: string): Found[] {
  const paths = [data, ...readdirSync(data).filter((name) => /^(?:state|cache)\.|^settings\.env$/.test(name)).map((name) => join(data, name))]
  const open = paths.filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0)
  if (open.length === 0) return [good('modes', 'The data folder and its databases are readable by their owner alone.')]
  return open.map((path) => faulty('modes', `${path} can be read by others (${(statSync(path).mode & 0o777).toString(8)}): chmod ${statSync(path).isDirectory() ? '700' : '600'} ${shellWord(path)}`))
}

function ballast(data: string): Found {
  if (hasBallast(data)) return good('ballast', 'The ballast is there: it makes room when the disk is full.')
  if (freeIn(data) >= plenty_bytes) return good('ballast', 'There is no ballast yet: a service lays it when it starts, and looks after it every hour.')
  return faulty('ballast', `There is no ballast in ${data} (${ballast_bytes / 1_048_576} MiB that are given back when the disk is full), and no room to lay it: make ${plenty_bytes / 1_048_576} MiB free.`)
}

function backupsIn(backups: Config['backups'], now: Date): Found[] {
  if (!backups) return []
  const newest = newestIn(backups.folder)
  if (!takesBackups(backups.folder)) return [faulty('backups', `${backups.folder} of FIELDSTONE_BACKUP_DIR cannot be written: make it writable for the user of the service.`)]
  if (newest && now.getTime() - newest.getTime() <= backupAgeMax_ms) return [good('backups', `The newest backup is of ${newest.toISOString()}.`)]
  return [faulty('backups', `${newest ? `The newest backup in ${backups.folder} is of ${newest.toISOString()}` : `There is no backup in ${backups.folder}`}: look for "chore" in the log, or make one with \`fieldstone backup <file>\`.`)]
}
