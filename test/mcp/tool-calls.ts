const denver = { lat: 39.7392, lng: -104.9903 }

/** One call of every tool, in list order, and whether it fails in a service without a network and without runs. */
export const toolCalls: [name: string, args: Record<string, unknown>, isError: boolean][] = [
  ['find_fields', { query: 'county' }, false],
  ['describe_fields', { fields: ['county'] }, false],
  ['fetch_fields', { ...denver, fields: ['county'] }, false],
  [
    'fetch_area',
    {
      geometry: {
        type: 'LineString',
        coordinates: [
          [-105, 39.7],
          [-104.9, 39.8],
        ],
      },
      fields: ['county'],
    },
    false,
  ],
  ['lookup_location', { input: '39.7392, -104.9903' }, false],
  ['geocode_address', { address: '1600 Pennsylvania Avenue NW, Washington, DC 20500' }, true],
  ['ask', { ...denver, question: 'Which county is this?' }, false],
  ['start_run', { locations: [denver], fields: ['county'] }, false],
  ['get_run', { run_id: 'run_00000000000000000000000000' }, true],
]
