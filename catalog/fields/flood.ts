import { fieldsSharing, documented } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const shared = {
  layer: 'flood',
  lifecycle: 'stable',
  type: 'boolean',
  unit: null,
  ttl_seconds: 604_800,
  evidence: documented,
} satisfies Partial<Field>

export const flood: Field[] = fieldsSharing(shared, [
  {
    name: 'fema_flood_zone',
    description: 'FEMA flood zone of the effective digital flood map at the point.',
    spoken: 'the FEMA flood zone',
    interpretation_hints:
      "A, AE, AH, AO, A99, AR: 1-percent-annual-chance (100-year) flood area. V, VE: the same with wave action on the coast. X: outside it (see flood_zone_subtype for the 500-year and levee cases). D: possible but undetermined hazard. 'OPEN WATER' and 'AREA NOT INCLUDED' are literal map values. Federal lenders require insurance in A and V zones.",
    type: 'string',
    pattern: '^([ABCDVX][AEHOR0-9/]{0,5}|OPEN WATER|AREA NOT INCLUDED)$',
    null_meaning:
      'FEMA publishes no digital flood map here (paper map only, or never studied). It does not mean that there is no flood hazard.',
    derivation:
      'FLD_ZONE of the polygon that contains the point; on a shared border the stricter zone wins (V before A before X before D).',
    read: {
      dataset: 'fema_nfhl_zones',
      op: 'attribute',
      attribute: 'FLD_ZONE',
      pick: ['FLD_ZONE rank VE,V,AE,AH,AO,AR,A99,A,X,D,OPEN WATER,AREA NOT INCLUDED'],
    },
  },
  {
    name: 'flood_zone_subtype',
    description: 'FEMA zone subtype: floodway, 0.2 percent area, levee-protected, minimal hazard and so on.',
    interpretation_hints:
      "Splits zone X: '0.2 PCT ANNUAL CHANCE FLOOD HAZARD' (500-year), 'AREA WITH REDUCED FLOOD RISK DUE TO LEVEE', 'AREA OF MINIMAL FLOOD HAZARD'. In zone AE, 'FLOODWAY' is the strictest building zone.",
    type: 'string',
    pattern: '^[A-Z0-9][A-Z0-9. ,-]{5,}$',
    null_meaning: 'No digital flood map, or the polygon has no subtype (usual in plain AE).',
    derivation: 'ZONE_SUBTY.',
    read: { dataset: 'fema_nfhl_zones', op: 'attribute', attribute: 'ZONE_SUBTY' },
  },
  {
    name: 'within_floodplain_polygon',
    description: "Whether the point is in FEMA's Special Flood Hazard Area (1-percent-annual-chance floodplain).",
    interpretation_hints:
      "true: a federally backed mortgage on a building here needs flood insurance. false: mapped, and outside the 100-year area; about a third of flood claims still come from such places. null: not mapped, so unknown (also where the map says 'AREA NOT INCLUDED'). Zone D (undetermined) gives false. A point test; a building that straddles the line needs its footprint checked.",
    lifecycle: 'beta',
    null_meaning:
      'FEMA publishes no digital flood map here (paper map only, or never studied). It does not mean that there is no flood hazard.',
    derivation: "SFHA_TF = 'T' on the containing polygon. F is false, U (unknown) and NP (not populated) are null.",
    read: {
      dataset: 'fema_nfhl_zones',
      op: 'within',
      attribute: 'SFHA_TF',
      true_values: ['T'],
      false_values: ['F'],
      unknown_values: ['U', 'NP'],
      null_when: { FLD_ZONE: ['AREA NOT INCLUDED'] },
      none: null,
    },
    evidence: 'open point: values of SFHA_TF and FLD_ZONE in areas not included',
  },
  {
    name: 'within_floodway',
    description: 'Whether the point is in the regulatory floodway.',
    interpretation_hints:
      'true: new fill or building needs a no-rise engineering certificate; practically unbuildable. false: mapped and outside a floodway. Small or unstudied streams have no floodway drawn at all.',
    null_meaning:
      'FEMA publishes no digital flood map here (paper map only, or never studied). It does not mean that there is no flood hazard.',
    derivation: "ZONE_SUBTY contains 'FLOODWAY'.",
    read: {
      dataset: 'fema_nfhl_zones',
      op: 'within',
      attribute: 'ZONE_SUBTY',
      true_values: { matches: 'FLOODWAY' },
      false_values: 'zone_subtypes',
      unknown_values: ['NP'],
      null_when: { FLD_ZONE: ['AREA NOT INCLUDED'] },
      none: null,
    },
  },
  {
    name: 'within_moderate_flood_zone',
    description: 'Whether the point is in the 0.2-percent-annual-chance (500-year) flood area.',
    interpretation_hints:
      'true: shaded zone X; insurance not mandatory, still advisable. A point in the 100-year area returns false here (see within_floodplain_polygon). Not every study maps the 500-year limit, so false is weaker evidence than true.',
    null_meaning:
      'FEMA publishes no digital flood map here (paper map only, or never studied). It does not mean that there is no flood hazard.',
    derivation: "ZONE_SUBTY starts with '0.2 PCT'.",
    read: {
      dataset: 'fema_nfhl_zones',
      op: 'within',
      attribute: 'ZONE_SUBTY',
      true_values: { matches: '^0\\.2 PCT' },
      false_values: 'zone_subtypes',
      unknown_values: ['NP'],
      null_when: { FLD_ZONE: ['AREA NOT INCLUDED'] },
      none: null,
    },
  },
  {
    name: 'within_levee_reduced_risk_zone',
    description: 'Whether FEMA maps the point as protected from the 100-year flood by an accredited levee.',
    interpretation_hints:
      'true: only the levee keeps the point out of the mapped floodplain; if it fails or is overtopped, the point floods. Also see within_leveed_area.',
    lifecycle: 'beta',
    null_meaning:
      'FEMA publishes no digital flood map here (paper map only, or never studied). It does not mean that there is no flood hazard.',
    derivation: "ZONE_SUBTY contains 'REDUCED FLOOD' and 'LEVEE'.",
    read: {
      dataset: 'fema_nfhl_zones',
      op: 'within',
      attribute: 'ZONE_SUBTY',
      true_values: [
        'AREA WITH REDUCED FLOOD RISK DUE TO LEVEE',
        'AREA WITH REDUCED FLOOD HAZARD DUE TO ACCREDITED LEVEE SYSTEM',
        'AREA WITH REDUCED FLOOD HAZARD DUE TO PROVISIONALLY ACCREDITED LEVEE SYSTEM',
        'AREA WITH REDUCED FLOOD HAZARD DUE TO NON-ACCREDITED LEVEE SYSTEM',
        'AREA WITH REDUCED FLOOD HAZARD DUE TO LEVEE SYSTEM',
      ],
      false_values: 'zone_subtypes',
      unknown_values: ['NP'],
      null_when: { FLD_ZONE: ['AREA NOT INCLUDED'] },
      none: null,
    },
    evidence: 'open point: wording list of ZONE_SUBTY',
  },
  {
    name: 'coastal_high_hazard',
    description: "Whether the point is in FEMA's Coastal High Hazard Area (V zones, with storm waves).",
    interpretation_hints:
      'true: zone V or VE, waves of 3 ft (0.9 m) or more in the 100-year storm; pile foundations required, highest insurance cost. false: mapped and not a V zone.',
    null_meaning:
      'FEMA publishes no digital flood map here (paper map only, or never studied). It does not mean that there is no flood hazard.',
    derivation: 'FLD_ZONE is V, VE or V1 to V30.',
    read: {
      dataset: 'fema_nfhl_zones',
      op: 'within',
      attribute: 'FLD_ZONE',
      true_values: 'coastal_zones',
      false_values: 'flood_zones',
      unknown_values: ['NP'],
      null_when: { FLD_ZONE: ['AREA NOT INCLUDED'] },
      none: null,
    },
  },
  {
    name: 'fema_base_flood_elevation',
    description: 'Static base flood elevation printed for the flood polygon at the point.',
    interpretation_hints:
      "Water surface of the 100-year flood in feet above the map's datum (usually NAVD88; older maps NGVD29, so check before comparing with elevation). Only given where one value holds for the whole polygon (lakes, coast, AH); along rivers it varies and this is null.",
    type: 'float',
    unit: 'ft',
    decimals: 1,
    null_meaning:
      'No static value for this polygon (river reaches use profile lines), outside the floodplain, or not mapped.',
    derivation: 'STATIC_BFE; -9999 becomes null; meters converted when LEN_UNIT says so.',
    valid_range: [-300, 12_000],
    read: {
      dataset: 'fema_nfhl_zones',
      op: 'attribute',
      attribute: 'STATIC_BFE',
      unit_from: 'LEN_UNIT',
    },
  },
  {
    name: 'nearest_floodplain_distance_m',
    description: 'Distance to the edge of the nearest Special Flood Hazard Area.',
    interpretation_hints:
      '0 inside. Under 50 m deserves a survey: map lines have an error of that order. Null within a mapped area means none within 5 km.',
    type: 'float',
    unit: 'm',
    decimals: 0,
    null_meaning: 'No mapped floodplain within 5 km, or no digital flood map in the area.',
    derivation:
      "Geodesic distance to the nearest layer 28 polygon with SFHA_TF='T', searched within 500 m, then 2 km, then 5 km. Outlines from a network source are simplified to about 6 m, so the value can be off by that much.",
    valid_range: [0, 5_000],
    read: {
      dataset: 'fema_nfhl_zones',
      op: 'nearest_distance',
      where: "SFHA_TF='T'",
      search_radii_m: [500, 2_000, 5_000],
    },
  },
  {
    name: 'is_flood_map_available',
    description: 'Whether an effective digital FEMA flood map covers the point.',
    interpretation_hints:
      'false: read every other flood field as unknown, not as safe, and look at soil_flooding_frequency, elevation_above_nearest_stream_m and paper maps.',
    lifecycle: 'beta',
    null_meaning: null,
    derivation: 'Point intersects NFHL Availability (layer 0).',
    read: { dataset: 'fema_nfhl_availability', op: 'within', none: false },
    evidence: 'open point: further attributes of layer 0; for a pack, which values of PANEL_TYP say that a map exists',
  },
  {
    name: 'firm_panel_number',
    description: 'Number of the FEMA flood map panel that covers the point.',
    interpretation_hints:
      "Eleven characters, e.g. '26077C0160D': state and county, panel, revision letter. Quoted on elevation certificates and flood determinations.",
    type: 'string',
    pattern: '^[0-9]{5}[0-9A-Z]',
    null_meaning:
      'FEMA publishes no digital flood map here (paper map only, or never studied). It does not mean that there is no flood hazard.',
    derivation: 'FIRM_PAN.',
    read: { dataset: 'fema_nfhl_panels', op: 'attribute', attribute: 'FIRM_PAN' },
  },
  {
    name: 'firm_panel_effective_date',
    description: 'Date on which the covering flood map panel took effect (YYYY-MM-DD).',
    interpretation_hints:
      'Older than about 15 years: rainfall and land use have changed since; look for preliminary maps. Letters of map revision since then are already merged into the zones.',
    type: 'string',
    unit: 'date',
    earliest: '1968-08-01',
    null_meaning: 'No digital panel, or the panel is not printed and has no date.',
    derivation: 'EFF_DATE epoch milliseconds to ISO date; the 9999 dummy year becomes null.',
    read: {
      dataset: 'fema_nfhl_panels',
      op: 'attribute',
      attribute: 'EFF_DATE',
      null_if_year_ge: 9000,
      transform: 'epoch_ms_to_date',
    },
  },
  {
    name: 'nfip_community_id',
    description: 'Six-digit NFIP community number of the place that regulates floodplains here.',
    interpretation_hints:
      'State code plus four digits. Join key to NFIP policies, claims and community status. Where jurisdictions overlap, the smaller (city over county) is used.',
    type: 'string',
    pattern: '^[0-9]{6}$',
    null_meaning: 'No digital flood map, or the area is marked as not included.',
    derivation: "CID of the smallest political polygon with ANI_TF not 'T'.",
    read: {
      dataset: 'fema_nfhl_communities',
      op: 'attribute',
      attribute: 'CID',
      pick: ['area asc'],
      where: "ANI_TF IS NULL OR ANI_TF <> 'T'",
    },
  },
  {
    name: 'nfip_community_name',
    description: 'Name of the NFIP community (city, town, county or tribe) at the point.',
    interpretation_hints: 'The authority that issues floodplain permits here; it can differ from the postal city.',
    type: 'string',
    null_meaning: 'No digital flood map, or the area is marked as not included.',
    derivation: 'POL_NAME1.',
    read: {
      dataset: 'fema_nfhl_communities',
      op: 'attribute',
      attribute: 'POL_NAME1',
      pick: ['area asc'],
      where: "ANI_TF IS NULL OR ANI_TF <> 'T'",
    },
  },
  {
    name: 'is_nfip_participating',
    description: 'Whether the community takes part in the National Flood Insurance Program.',
    interpretation_hints:
      'true: NFIP policies can be bought and federal disaster aid for flooded buildings is available. false: not participating or suspended; federally backed loans in the floodplain are restricted.',
    lifecycle: 'beta',
    null_meaning: 'Community unknown, or not listed in the status book.',
    derivation: 'participatingInNFIP.',
    read: {
      dataset: 'openfema_nfip_csb',
      op: 'path',
      key: 'nfip_community_id',
      json_path: '$.NfipCommunityStatusBook[0].participatingInNFIP',
      absent_when: ['empty'],
    },
  },
  {
    name: 'nfip_crs_class',
    description: 'Community Rating System class of the NFIP community, 1 (best) to 10.',
    interpretation_hints:
      'Each class below 10 cuts flood insurance premiums by about 5 percent (class 5: about 25 percent). Null or 10: no discount.',
    lifecycle: 'beta',
    type: 'integer',
    unit: 'class',
    null_meaning: 'Community is not in the rating system, or unknown.',
    derivation: 'classRating.',
    valid_range: [1, 10],
    read: {
      dataset: 'openfema_nfip_csb',
      op: 'path',
      key: 'nfip_community_id',
      json_path: '$.NfipCommunityStatusBook[0].classRating',
      absent_when: ['empty', 'null'],
      cast: 'integer',
    },
  },
  {
    name: 'rainfall_100yr_24h_mm',
    description: 'Rain depth that falls in 24 hours with a 1 percent chance per year.',
    interpretation_hints:
      'Design storm for culverts, basins and roof drainage. About 75 mm in the dry West, 150-200 in the Midwest, 250-400 on the Gulf coast. Upper and lower 90 percent bounds are roughly +-20 percent.',
    lifecycle: 'beta',
    type: 'float',
    unit: 'mm',
    decimals: 1,
    ttl_seconds: 2_592_000,
    null_meaning: 'No NOAA Atlas 14 coverage (historically parts of the Northwest: OR, WA, ID, MT, WY).',
    derivation: 'quantiles[9][6] (24-hour row, 100-year column) of the Atlas 14 point frequency text, metric depth.',
    valid_range: [0, 2_000],
    read: { dataset: 'noaa_atlas14_pfds', op: 'path', json_path: '$[9][6]', absent_when: ['null'], cast: 'float' },
    evidence: 'open point: whether the metric depth unit is mm',
  },
])
