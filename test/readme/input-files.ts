import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shapefileZip } from './shapefile-zip.ts'

/** Writes the input files that a block names into a folder: tiny files in the formats of their publishers. */
export function writeInputFiles(folder: string, text: string): void {
  for (const [name, bytes] of Object.entries(files)) if (text.includes(name)) writeFileSync(join(folder, name), bytes())
}

const square = (lng: number, lat: number, half: number): [number, number][] => [
  [lng - half, lat - half],
  [lng - half, lat + half],
  [lng + half, lat + half],
  [lng + half, lat - half],
  [lng - half, lat - half],
]

/** The columns of the National Address Database text that are read. */
const nad = [
  'AddNum_Pre|Add_Number|AddNum_Suf|AddNo_Full|St_PreMod|St_PreDir|St_PreTyp|St_PreSep|St_Name|St_PosTyp|St_PosDir|St_PosMod|StNam_Full|Building|Floor|Unit|Room|SubAddress|County|Inc_Muni|Post_City|Census_Plc|Uninc_Comm|State|Zip_Code|Plus_4|UUID|AddAuth|Longitude|Latitude|NatGrid|Placement|AddrClass|Lifecycle|DateUpdate|NAD_Source',
  '|1777||1777|||||Broadway||||Broadway||||||Boulder|Boulder|Boulder|Boulder||CO|80302||||-105.2797|40.0150||||Active||',
].join('\n')

const files: Record<string, () => string | Uint8Array> = {
  'sites.csv': () => 'name,lat,lng\nCity park,39.7392,-104.9903\nBeach,25.79,-80.13\n',
  'zones.geojson': () =>
    JSON.stringify({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          properties: { ZONE: 'R-1' },
          geometry: { type: 'Polygon', coordinates: [square(-104.9903, 39.7392, 0.01)] },
        },
      ],
    }),
  'DC_shapefile_wetlands.zip': () =>
    shapefileZip('DC_Wetlands', [
      {
        kind: 'polygon',
        points: square(-77.03, 38.87, 0.005),
        row: { ATTRIBUTE: 'R1UBV', WETLAND_TY: 'Riverine', ACRES: '12.5' },
      },
    ]),
  'NAD_CO.txt': () => nad,
  'openaddresses-co.csv': () =>
    'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n-104.9903,39.7392,1437,Bannock St,,Denver,,CO,80202,,\n',
  'tl_2025_08013_addrfeat.zip': () =>
    shapefileZip('tl_2025_08013_addrfeat', [
      {
        kind: 'line',
        points: [
          [-105.28, 40.01],
          [-105.28, 40.02],
        ],
        row: {
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
      },
    ]),
}
