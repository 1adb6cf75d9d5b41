import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'
import { settingDescriptions } from '../settings.ts'

/** `fieldstone serve`. */
export const servePage: CommandPage = {
  summary: 'answer HTTP (also what it does when no command is named)',
  usage: ['serve [options]'],
  description: [
    "Answers HTTP until it is stopped. The first start makes the owner and prints the owner's token, once.",
    'SIGTERM and Ctrl-C stop it: /readyz says so from then on, answers under way are finished within 15 seconds, locations of runs within 10; what is left of a run goes on after the next start.',
  ],
  options: {
    host: { valueName: 'name', description: 'where it listens (FIELDSTONE_HOST)', defaultText: '127.0.0.1' },
    port: {
      valueName: 'number',
      description: 'its port, 0 for any that is free (FIELDSTONE_PORT)',
      defaultText: '8080',
    },
    data: sharedOptions.data,
  },
  environment: Object.keys(settingDescriptions),
  exitCodes: { 78: 'the configuration or the data folder cannot be used, or nothing can be served at that address' },
  examples: [
    ['fieldstone serve --port 0', 'on any free port, which it prints'],
    [
      'fieldstone serve --host 0.0.0.0 --data /var/lib/fieldstone --env-file /etc/fieldstone/environment',
      'for other machines too',
    ],
  ],
}
