import { options } from '../options.ts'
import type { Page } from '../page.ts'
import { settings } from '../settings.ts'

/** `fieldstone serve`. */
export const serve: Page = {
  purpose: 'answer HTTP (also what it does when no command is named)',
  usage: ['serve [options]'],
  says: [
    'Answers HTTP until it is stopped. The first start makes the owner and prints the owner\'s token, once.',
    'SIGTERM and Ctrl-C stop it: /readyz says so from then on, answers under way are finished within 15 seconds, locations of runs within 10; what is left of a run goes on after the next start.',
  ],
  options: {
    host: { value: 'name', says: 'where it listens (FIELDSTONE_HOST)', otherwise: '127.0.0.1' },
    port: { value: 'number', says: 'its port, 0 for any that is free (FIELDSTONE_PORT)', otherwise: '8080' },
    data: options.data,
  },
  environment: Object.keys(settings),
  exits: { 78: 'the configuration or the data folder cannot be used, or nothing can be served at that address' },
  examples: [
    ['fieldstone serve --port 0', 'on any free port, which it prints'],
    ['fieldstone serve --host 0.0.0.0 --data /var/lib/fieldstone --env-file /etc/fieldstone/environment', 'for other machines too'],
  ],
}
