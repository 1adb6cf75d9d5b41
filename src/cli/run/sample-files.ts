/** A small file that the commands of the guide read. */
export type SampleFile = { name: string; description: string; text: string }

/**
 * The small files of `fieldstone sample`, in the forms in which people and publishers have them. They were made for
 * Fieldstone: the zone, the wetland and the house numbers along the street are invented.
 */
export const sampleFiles: readonly SampleFile[] = [
  {
    name: 'sites.csv',
    description: 'Two places with coordinates, for `fieldstone run`.',
    text: 'name,lat,lng\nCity park,39.7392,-104.9903\nBeach,25.79,-80.13\n',
  },
  {
    name: 'addresses.csv',
    description: 'Two places with addresses, for `fieldstone run`.',
    text: 'name,street,city,state,zip\nMunicipal building,1777 Broadway,Boulder,CO,80302\nCity hall,1437 Bannock St,Denver,CO,80202\n',
  },
  {
    name: 'nad.txt',
    description: 'An address in the form of the National Address Database, for `fieldstone pack build addresses`.',
    text: 'AddNo_Full|Add_Number|St_Name|StNam_Full|Post_City|State|Zip_Code|Longitude|Latitude|Lifecycle\n1777|1777|Broadway|Broadway|Boulder|CO|80302|-105.2797|40.0150|Active\n',
  },
  {
    name: 'openaddresses.csv',
    description: 'An address in the form of OpenAddresses, for `fieldstone pack build addresses`.',
    text: 'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n-104.9903,39.7392,1437,Bannock St,,Denver,,CO,80202,,\n',
  },
  {
    name: 'addrfeat.geojson',
    description: 'House numbers along a street, as in TIGER/Line ADDRFEAT, for `fieldstone pack build address-ranges`.',
    text: featureText(
      {
        FULLNAME: 'Pearl St',
        LFROMHN: '1',
        LTOHN: '99',
        RFROMHN: '2',
        RTOHN: '98',
        ZIPL: '80302',
        ZIPR: '80302',
        PARITYL: 'O',
        PARITYR: 'E',
      },
      'LineString',
      [
        [-105.28, 40.01],
        [-105.28, 40.02],
      ],
    ),
  },
  {
    name: 'wetlands.geojson',
    description: 'A wetland with the attributes of the National Wetlands Inventory, for `fieldstone pack build`.',
    text: featureText({ ATTRIBUTE: 'R1UBV', WETLAND_TYPE: 'Riverine', ACRES: 12.5 }, 'Polygon', [
      square(-77.03, 38.87, 0.005),
    ]),
  },
  {
    name: 'zones.geojson',
    description: 'A zone in the form in which a city publishes it, for a layer of your own.',
    text: featureText({ ZONE: 'R-1' }, 'Polygon', [square(-104.9903, 39.7392, 0.01)]),
  },
]

function featureText(properties: Record<string, unknown>, type: string, coordinates: unknown): string {
  const feature = { type: 'Feature', properties, geometry: { type, coordinates } }
  return `${JSON.stringify({ type: 'FeatureCollection', features: [feature] }, null, 1)}\n`
}

/** The ring of a square, counterclockwise. */
function square(lng: number, lat: number, half: number): [number, number][] {
  const [west, south, east, north] = [lng - half, lat - half, lng + half, lat + half].map((it) => Number(it.toFixed(4)))
  return [
    [west!, south!],
    [east!, south!],
    [east!, north!],
    [west!, north!],
    [west!, south!],
  ]
}
