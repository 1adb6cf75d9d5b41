import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone backup`. */
export const backupPage: CommandPage = {
  summary: 'one file of all that the data folder keeps, while the server runs',
  usage: ['backup <file> [--data <folder>]'],
  description: [
    'Writes a tar archive that only its owner can read, into a folder that is there: a checked copy of the state (accounts, tokens as hashes, runs and their results, the record of geocoding), the added layers of catalog.d, the settings, and a list of the packs with sizes and checksums. The packs themselves and what may be lost (the cache) are not in it.',
    'No key and no token is in it: keys are set in the environment, and of tokens only hashes are kept. Give it the same --env-file as the server, so that it has the same settings. Keep it as you would keep the data folder.',
    'FIELDSTONE_BACKUP_DIR has the server make one every day: fieldstone-<time>.tar, at the times of FIELDSTONE_BACKUP_CRON, of which the newest FIELDSTONE_BACKUP_KEEP stay.',
  ],
  maxArguments: 1,
  options: { data: sharedOptions.data },
  environment: [
    'FIELDSTONE_DATA',
    'FIELDSTONE_PACKS',
    'FIELDSTONE_BACKUP_DIR',
    'FIELDSTONE_BACKUP_CRON',
    'FIELDSTONE_BACKUP_KEEP',
  ],
  exitCodes: { 1: 'no backup was made; the output says why' },
  examples: [['fieldstone backup /backups/fieldstone.tar --data /var/lib/fieldstone', 'one file, checked']],
}

/** `fieldstone restore`. */
export const restorePage: CommandPage = {
  summary: 'make a data folder of a backup',
  usage: ['restore <file> --data <folder>'],
  description: [
    'Compares every checksum of a backup and looks through its state, then makes a new data folder of it. Nothing is ever written over: a folder that is in use, or holds anything but packs, is refused.',
    'Put the packs back into <folder>/packs: it says which are lacking. settings.env in the folder has the settings; keys must be set again.',
  ],
  maxArguments: 1,
  options: { data: sharedOptions.data },
  environment: ['FIELDSTONE_DATA'],
  exitCodes: {
    1: 'the backup is damaged, or is none; nothing was written',
    78: 'the folder is in use, or is not empty; nothing was written',
  },
  examples: [['fieldstone restore /backups/fieldstone.tar --data /var/lib/fieldstone', 'then serve it']],
}
