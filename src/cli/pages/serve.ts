import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone serve`. */
export const servePage: CommandPage = {
  summary: 'Start the HTTP server',
  usage: ['serve [options]'],
  description: [
    "Serves HTTP until it is stopped. The first start creates the owner account. It prints the owner's token, which is not shown again, and a link that signs the owner in to the dashboard. The link works once, within 10 minutes, in a browser on the same machine.",
    'Settings are environment variables, or lines of the file of --env-file. `fieldstone help settings` lists them.',
    'SIGTERM and Ctrl-C stop the server. /readyz then reports that it is stopping. The server finishes the requests and the run locations in progress, within the time of FIELDSTONE_STOP_SECONDS. A second signal stops it at once. The next start continues unfinished runs.',
  ],
  options: {
    host: { valueName: 'name', description: 'Address to listen on (FIELDSTONE_HOST).', defaultText: '127.0.0.1' },
    port: {
      valueName: 'number',
      description: 'Port to listen on. 0 picks a free port (FIELDSTONE_PORT).',
      defaultText: '8080',
    },
    processes: {
      valueName: 'number',
      description: 'Number of processes that answer requests on the port, or auto (FIELDSTONE_PROCESSES).',
      defaultText: '1',
    },
    open: { description: 'Open the dashboard in the browser of this machine, and sign the owner in.' },
    data: sharedOptions.data,
  },
  exitCodes: {
    78: 'Invalid configuration, unusable data folder, or the address and port cannot be used.',
  },
  examples: [
    ['fieldstone serve --open', 'Start, and open the dashboard'],
    ['fieldstone serve --port 0', 'Listen on a free port and print it'],
    [
      'fieldstone serve --host 0.0.0.0 --data /var/lib/fieldstone --env-file /etc/fieldstone/environment',
      'Accept connections from other machines',
    ],
  ],
}
