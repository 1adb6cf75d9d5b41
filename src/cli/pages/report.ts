import { unitSystems } from '../../ask/answer/display-units.ts'
import { sourceSettingNames } from '../settings.ts'
import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone report`. */
export const reportPage: CommandPage = {
  summary: 'Write a report about a location or an area, to print or to save',
  usage: [
    'report --at <lat,lng> [--vs <lat,lng>] [--preset <name>] [--fields <a,b,…>] [--out <file>] [--pdf <file>]',
    'report --address <address> [--preset <name>] [--out <file>]',
    'report --shape <area> [--out <file>]',
  ],
  description: [
    'Writes one HTML file that is complete in itself: a map, the key values, all values by theme with unit, source, date and margin of error, what is missing and why, the licenses, and the command that makes it again. It needs no server. Without --out and --pdf, it prints the HTML.',
  ],
  options: {
    at: sharedOptions.at,
    address: {
      ...sharedOptions.address,
      description: 'US street address instead of a coordinate. The report has its coordinate, and not the address.',
    },
    vs: { valueName: 'lat,lng', description: 'A second location, which is shown beside the first.' },
    shape: {
      valueName: 'area',
      description:
        'An area instead of a location, as in the URL of the Areas page: polygon:39.73,-105.02;39.73,-104.98;39.76,-105, line:…, circle:39.74,-104.99,500 or county:08031. Or a file with one shape, as for `fieldstone area`.',
    },
    preset: sharedOptions.preset,
    fields: {
      ...sharedOptions.fields,
      description: 'Field names, comma-separated. `all`: every field whose source does not bill.',
    },
    units: {
      valueName: 'us|metric',
      description: 'Units that come first.',
      defaultText: 'us',
      completion: unitSystems,
    },
    name: { valueName: 'text', description: 'Title of the report.', defaultText: 'the county, or the size' },
    out: { valueName: 'file', description: 'HTML file to write.', completion: 'files' },
    pdf: { valueName: 'file', description: 'PDF file to write. Needs Chromium or Chrome.', completion: 'files' },
    server: { ...sharedOptions.server, description: 'Get the report from the server at this URL.' },
    token: sharedOptions.token,
    data: sharedOptions.data,
  },
  environment: ['FIELDSTONE_TOKEN', ...sourceSettingNames],
  exitCodes: { 1: 'The request was rejected. If individual fields fail, the exit code is still 0.' },
  examples: [
    ['fieldstone report --at 39.7392,-104.9903 --preset place_context --out site.html', 'Write a report'],
    [
      'fieldstone report --at 39.7392,-104.9903 --vs 25.7907,-80.13 --preset flood_risk --pdf two.pdf',
      'Compare two places as PDF',
    ],
    [
      'fieldstone report --shape county:08031 --fields county,timezone --out county.html',
      'Write a report about a county',
    ],
  ],
}
