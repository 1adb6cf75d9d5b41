import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone backup`. */
export const backupPage: CommandPage = {
  summary: 'Back up the data folder to one file, while the server runs',
  usage: ['backup <file> [--data <folder>]'],
  description: [
    'Writes a tar archive that only the user who runs the command can read. The target folder must exist. The archive contains a verified copy of the database, the local layers in catalog.d, the settings, and a list of the packs with sizes and checksums. The database holds accounts, hashed tokens, runs, results and the geocoding audit (a log of the geocoded addresses, stored as hashes). The archive does not contain the packs or the cache.',
    'The archive contains no API keys and no tokens, only hashes of tokens. Pass the --env-file that the server uses, so that the backup contains its settings. Protect the archive as you protect the data folder.',
    'If FIELDSTONE_BACKUP_DIR is set, the server makes backups on the schedule of FIELDSTONE_BACKUP_CRON. They are named fieldstone-<time>.tar. FIELDSTONE_BACKUP_KEEP is the number of backups to keep; older ones are deleted.',
  ],
  maxArguments: 1,
  argumentCompletion: { files: true },
  options: { data: sharedOptions.data },
  environment: [
    'FIELDSTONE_DATA',
    'FIELDSTONE_DATABASE',
    'FIELDSTONE_PACKS',
    'FIELDSTONE_BACKUP_DIR',
    'FIELDSTONE_BACKUP_CRON',
    'FIELDSTONE_BACKUP_KEEP',
  ],
  exitCodes: { 1: 'No backup was made. The output gives the reason.' },
  examples: [['fieldstone backup /backups/fieldstone.tar --data /var/lib/fieldstone', 'Write and verify one backup']],
}

/** `fieldstone restore`. */
export const restorePage: CommandPage = {
  summary: 'Create a data folder from a backup',
  usage: ['restore <file> --data <folder>'],
  description: [
    'Verifies every checksum of a backup and checks its database, then creates a data folder from it. It never overwrites anything: the folder must be unused and empty, except for packs. If a restore is interrupted, run it again; it replaces the incomplete files. Until then, the server does not start with this folder.',
    'Then copy the packs into <folder>/packs; the command lists the missing ones. The settings are in settings.env in the folder. Set the API keys again: a backup does not contain them.',
  ],
  maxArguments: 1,
  argumentCompletion: { files: true },
  options: { data: sharedOptions.data },
  environment: ['FIELDSTONE_DATA', 'FIELDSTONE_DATABASE'],
  exitCodes: {
    1: 'The file is damaged or is not a backup. Nothing was written.',
    78: 'The folder is in use or is not empty, or the database in the backup was changed by another program. Nothing was written.',
  },
  examples: [
    [
      'fieldstone restore /backups/fieldstone.tar --data /var/lib/fieldstone',
      'Restore a backup, before you start the server',
    ],
  ],
}

/** `fieldstone migrate-state`. */
export const migrateStatePage: CommandPage = {
  summary: 'Copy the accounts and runs from the data folder to PostgreSQL, or back',
  usage: [
    'migrate-state --to postgres://<user>:<password>@<host>/<database> [--data <folder>]',
    'migrate-state --to <folder>',
  ],
  description: [
    'Copies all accounts, tokens, runs, result files and geocodes, and the geocoding audit. Without FIELDSTONE_DATABASE, it copies from the data folder into a new PostgreSQL database. With FIELDSTONE_DATABASE, it copies from that database into a new folder. Stop all servers first.',
    'The target must be empty. The command reads every table back and compares the number of rows and their hashes, and prints the number of rows of each table. It does not change the rows of the source. If it is interrupted, the target stays empty: run the command again.',
    'Tokens and passwords stay valid, and a server on the target continues unfinished runs. Packs, layers and settings are not copied.',
  ],
  options: {
    data: sharedOptions.data,
    to: {
      valueName: 'target',
      description: 'URL of an empty PostgreSQL database, or a new folder.',
      completion: 'files',
    },
  },
  environment: ['FIELDSTONE_DATA', 'FIELDSTONE_DATABASE'],
  exitCodes: {
    75: 'The PostgreSQL database cannot be reached. Nothing was changed.',
    78: 'A server uses the source, the target is not empty, or one of them cannot be used. Nothing was copied.',
  },
  examples: [
    [
      'fieldstone migrate-state --data /var/lib/fieldstone --to postgres://fieldstone:password@db.example/fieldstone',
      'Move from the data folder to PostgreSQL',
    ],
  ],
}
