import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { area, box, line, multipartShape, ring, square, type SimulatedShape } from './shapes.ts'

const habitat = 'https://services.arcgis.com/QVENGdaPbd4LUkLV/ArcGIS/rest/services/USFWS_Critical_Habitat/FeatureServer'
const habitatColumns = 'OBJECTID comname sciname spcode unitname status listing_status'

/**
 * Wetlands, coastal barriers and critical habitat: synthetic features with the geometry types and terms of the real
 * layers.
 */
export const usfwsLayers: SimulatedLayer[] = [
  wetlands('https://fwspublicservices.wim.usgs.gov/wetlandsmapservice/rest/services/Wetlands/MapServer/0', 'Wetlands'),
  wetlands('https://fwsprimary.wim.usgs.gov/server/rest/services/Wetlands/MapServer/0', 'Wetlands_CONUS_West'),
  layer({
    at: 'https://gis1.wim.usgs.gov/server/rest/services/CBRSMapper/CoastalBarrierResourcesSystem/MapServer/3',
    name: 'CBRS Units',
    kind: 'polygon',
    columns: 'OBJECTID Unit Name Unit_Type',
    rows: [
      [square('miami_beach', 800), { Unit: 'FL-18P', Name: 'Made-up Key', Unit_Type: 'Otherwise Protected Area' }],
      [square('san_juan', 500, 2_000, 0), { Unit: 'PR-87', Name: 'Made-up Point', Unit_Type: 'System Unit' }],
    ],
  }),
  layer({
    at: `${habitat}/0`,
    name: 'Critical Habitat - Polygon Features - Final',
    kind: 'polygon',
    columns: habitatColumns,
    rows: [
      [
        area('miami_beach', [-3_000_000, -3_000_000], [-2_999_000, -3_000_000], [-2_999_000, -2_999_000]),
        species('Western snowy plover', 'Charadrius nivosus nivosus', 'Final'),
      ], // the placeholder row of the real layer
      [square('miami_beach', 1_000), species('Piping Plover', 'Charadrius melodus', 'Final')],
      [
        multipartShape(square('boulder', 500, 0, 3_500), square('boulder', 300, 0, 6_000)),
        species("Preble's meadow jumping mouse", 'Zapus hudsonius preblei', 'Final'),
      ],
      [square('anchorage', 2_000, -6_000, 0), species('Beluga whale', 'Delphinapterus leucas', 'Final')],
    ],
  }),
  layer({
    at: `${habitat}/1`,
    name: 'Critical Habitat - Linear Features - Final',
    kind: 'line',
    columns: habitatColumns,
    rows: [
      [line('kansas', [-4_000, 700], [4_000, 700]), species('Topeka shiner', 'Notropis topeka (=tristis)', 'Final')],
    ],
  }),
  layer({
    at: `${habitat}/2`,
    name: 'Critical Habitat - Polygon Features - Proposed',
    kind: 'polygon',
    columns: habitatColumns,
    rows: [[square('miami_beach', 2_000), species('Florida bonneted bat', 'Eumops floridanus', 'Proposed')]],
  }),
  layer({
    at: `${habitat}/3`,
    name: 'Critical Habitat - Linear Features - Proposed',
    kind: 'line',
    columns: habitatColumns,
    rows: [[line('paradise', [0, 900], [900, 900]), species('Foothill yellow-legged frog', 'Rana boylii', 'Proposed')]],
  }),
]

function species(comname: string, sciname: string, status: string): Record<string, SimulatedCell> {
  return { comname, sciname, spcode: null, unitname: 'Unit 1', status, listing_status: 'Threatened' }
}

/**
 * The same wetlands behind either host; the names of attributes hold the table, whose name has changed with the
 * releases.
 */
function wetlands(at: string, table: string): SimulatedLayer {
  const codes = 'NWI_Wetland_Codes'
  const row = (
    shape: SimulatedShape,
    code: string,
    type: string,
    acres: number,
  ): [SimulatedShape, Record<string, SimulatedCell>] => [
    shape,
    {
      [`${table}.ATTRIBUTE`]: code,
      [`${table}.WETLAND_TYPE`]: type,
      [`${table}.ACRES`]: acres,
      [`${codes}.ATTRIBUTE`]: code,
    },
  ]
  return layer({
    at,
    name: 'Wetlands',
    kind: 'polygon',
    quirks: ['where_required'],
    columns: `${table}.OBJECTID ${table}.ATTRIBUTE ${table}.WETLAND_TYPE ${table}.ACRES:double ${table}.GLOBALID ${codes}.ATTRIBUTE ${codes}.SYSTEM_NAME ${codes}.WATER_REGIME_NAME`,
    rows: [
      row(square('boulder', 100, 1_300, 0), 'PEM1C', 'Freshwater Emergent Wetland', 9.88),
      row(box('miami_beach', -2_000, -2_000, -80, 2_000), 'E1UBL', 'Estuarine and Marine Deepwater', 1_864.31),
      row(square('miami_beach', 20, 0, 320), 'E2FO3N', 'Estuarine and Marine Wetland', 0.4),
      row(box('miami_beach', 600, -3_000, 1_200, 3_000), 'M2USP', 'Estuarine and Marine Wetland', 88.1),
      row(square('new_orleans', 150), 'PFO1/EM1Ch', 'Freshwater Forested/Shrub Wetland', 22.24),
      ...Array.from({ length: 12 }, (_, index) =>
        row(square('new_orleans', 8, -400 + index * 70, 300), 'PEM1R', 'Freshwater Emergent Wetland', 0.06),
      ),
      row(ring('kansas', 200, 60), 'PUBHh', 'Freshwater Pond', 35.98),
      row(square('manhattan', 400, -2_400, 0), 'R1UBL', 'Riverine', 158.1),
      row(square('anchorage', 300), 'PSS1/EM1B', 'Freshwater Forested/Shrub Wetland', 88.96),
      row(square('san_juan', 90), 'Pf', 'Other', 8),
    ],
  })
}
