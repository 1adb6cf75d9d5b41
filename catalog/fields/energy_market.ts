import type { Field } from '../../src/catalog/records.ts'
import type { Region } from '../../src/model/place.ts'
import { queuedInRegions } from '../families-subjects.ts'
import { computed, documented, documentPath, float, nearest, polygonAtPoint, tableRow } from '../families.ts'

const shared = { layer: 'energy_market', ttl_seconds: 2_592_000, evidence: documented }
const covers: Region[] = ['conus', 'ak', 'hi']
const noState = 'The state has no published price. Also null outside the 50 states and DC.'
const gasPrices = { ...shared, covers, dataset: 'eia_natural_gas_prices', root: '$.response.data[*]' }
const newestPrice = { pick: ['period desc'], attribute: 'value', cast: 'float' as const }

/** Megawatts of a request in up to three parts; null if it states none. */
const queuedMegawatts =
  'mw_1 == null && mw_2 == null && mw_3 == null ? null : (mw_1 == null ? 0 : mw_1) + (mw_2 == null ? 0 : mw_2) + (mw_3 == null ? 0 : mw_3)'

/** The groups of the queue by the end of the field's name: the name of the source, and what it is. */
const queueRegions: Record<string, [region: string, meaning: string]> = {
  caiso: ['CAISO', 'California ISO'],
  ercot: ['ERCOT', 'ERCOT'],
  isone: ['ISO-NE', 'ISO New England'],
  miso: ['MISO', 'MISO'],
  nyiso: ['NYISO', 'New York ISO'],
  pjm: ['PJM', 'PJM'],
  southeast: ['Southeast', 'utilities of the Southeast without a market operator'],
  spp: ['SPP', 'SPP'],
  west: ['West', 'utilities of the West outside the California ISO'],
}

const queueHint =
  'Nameplate megawatts of generation and storage that asked to be connected, to the end of 2025; most requests are withdrawn in the end. Requests without a county are not counted, those in several counties count in the first.'

export const energy_market: Field[] = [
  ...tableRow(
    { ...shared, covers, dataset: 'eia_electricity_prices', key: 'political_region', none: noState },
    {
      avg_retail_electricity_price_industrial_usd_per_kwh: {
        read: { expression: 'industrial / 100' },
        ...float('USD/kWh', 4, [0, 2]),
        description: 'Average price of electricity to industrial customers in the state, in the newest month.',
        hints: 'With delivery, without taxes on the bill. An average of the state: large users pay less.',
        derivation: 'Cents per kilowatt-hour divided by 100.',
      },
    },
  ),
  ...documentPath(
    { ...gasPrices, none: noState, read: { key: 'state', absent_when: ['empty'] } },
    {
      natural_gas_citygate_price_usd_per_mcf: {
        path: '',
        read: { where: "process = 'PG1' AND value IS NOT NULL", ...newestPrice },
        ...float('USD/MCF', 2, [0, 200]),
        description:
          'Price of natural gas to utilities at the city gate in the state, in the newest month with a value.',
        hints: 'Dollars per thousand cubic feet. What utilities pay, without delivery to customers.',
      },
      natural_gas_industrial_price_usd_per_mcf: {
        path: '',
        read: { where: "process = 'PIN' AND value IS NOT NULL", ...newestPrice },
        ...float('USD/MCF', 2, [0, 200]),
        description: 'Price of natural gas to industrial customers in the state, in the newest month with a value.',
        hints: 'Dollars per thousand cubic feet. An average of the state: large users buy at other prices.',
      },
    },
  ),
  ...computed(
    { layer: shared.layer, ttl_seconds: shared.ttl_seconds },
    {
      grid_price_usd_per_mwh: {
        description: 'Average price of electricity to industrial customers in the state, per megawatt-hour.',
        hints: 'The full retail price with delivery, not a wholesale price.',
        derivation: 'avg_retail_electricity_price_industrial_usd_per_kwh times 1000.',
        null_meaning: noState,
        from: { price: 'avg_retail_electricity_price_industrial_usd_per_kwh' },
        expression: 'price * 1000',
        ...float('USD/MWh', 2, [0, 10_000]),
      },
      estimated_annual_power_cost_usd_per_mw: {
        description: 'Yearly cost of energy of a steady load of 1 MW at the industrial price of the state.',
        hints: 'At a load factor of 100 percent and the average price; without charges for demand and connection.',
        derivation: 'avg_retail_electricity_price_industrial_usd_per_kwh times 8,760,000 kWh.',
        null_meaning: noState,
        from: { price: 'avg_retail_electricity_price_industrial_usd_per_kwh' },
        expression: 'price * 8760000',
        ...float('USD/MW/year', 0, [0, 100_000_000]),
      },
      modeled_onsite_gas_generation_cost_usd_per_mwh: {
        description: 'Cost of the fuel of power from a gas engine on the site, per megawatt-hour.',
        hints:
          'Fuel only, at the average industrial price of the state; a combined cycle needs about a third less. Compare with grid_price_usd_per_mwh with care: that price includes delivery.',
        derivation: 'natural_gas_industrial_price_usd_per_mcf divided by 1.037 MMBtu per Mcf, times 9.5 MMBtu per MWh.',
        null_meaning: noState,
        from: { price: 'natural_gas_industrial_price_usd_per_mcf' },
        expression: 'price / 1.037 * 9.5',
        ...float('USD/MWh', 2, [0, 10_000]),
      },
    },
  ),
  ...tableRow(
    {
      ...shared,
      covers,
      dataset: 'lbl_queued_up',
      key: 'county_fips',
      none: 'The county has no active request.',
      read: { expression: queuedMegawatts, reducer: 'sum' },
    },
    {
      interconnection_queue_active_capacity_county_mw: {
        read: { where: "q_status = 'active'" },
        ...float('MW', 2, [0, 1_000_000]),
        description: 'Capacity that waits for a connection to the transmission grid in the county.',
        hints: queueHint,
        derivation: 'The sum of mw_1, mw_2 and mw_3 of the active requests with the FIPS code of the county.',
      },
      ...queuedInRegions(queueRegions, queueHint),
    },
  ),
  ...nearest(
    {
      ...shared,
      covers,
      dataset: 'eia_860m_planned',
      thing: 'planned generator',
      radii_m: [25_000, 100_000],
    },
    {
      nearest_proposed_generator_distance_m: {
        distance: true,
        hints: 'Planned, permitted or being built, at the point of the plant. Not every planned unit is built.',
      },
      nearest_proposed_generator_capacity_mw: {
        of: 'Nameplate capacity of',
        attribute: 'Nameplate Capacity (MW)',
        ...float('MW', 1, [0, 10_000]),
        read: { cast: 'float' },
        hints: 'Of one unit, alternating current; a plant can have several planned units at one point.',
      },
      nearest_proposed_generator_status: {
        of: 'Stage of development of',
        attribute: 'Status',
        hints:
          'The stages of form EIA-860M, from planned to construction complete, in words of our own: the source has a code and a sentence.',
        enum: [
          'planned',
          'permits pending',
          'permits received, not under construction',
          'under construction, up to 50 percent complete',
          'under construction, more than 50 percent complete',
          'construction complete, not in operation',
          'other',
        ],
        read: {
          classes: {
            '(P)*': 'planned',
            '(L)*': 'permits pending',
            '(TS)*': 'construction complete, not in operation',
            '(T)*': 'permits received, not under construction',
            '(U)*': 'under construction, up to 50 percent complete',
            '(V)*': 'under construction, more than 50 percent complete',
            '(OT)*': 'other',
          },
        },
      },
    },
  ),
  ...polygonAtPoint(
    {
      ...shared,
      covers: ['conus'],
      dataset: 'hifld_iso_rto',
      thing: 'mapped footprint of a market operator',
      pick: ['area asc'],
    },
    {
      iso_rto: {
        attribute: 'NAME',
        description: 'Operator of the wholesale power market whose footprint contains the point.',
        hints:
          'Footprints overlap at their seams, and then the smallest is named. Null in most of the West and Southeast, which have no market operator.',
        enum: ['PJM', 'MISO', 'ERCOT', 'CAISO', 'SPP', 'NYISO', 'ISO-NE'],
        read: { classes: 'dataset' },
      },
    },
  ),
  ...polygonAtPoint(
    { ...shared, covers: [...covers, 'pr'], dataset: 'epa_egrid_subregions', thing: 'eGRID subregion' },
    {
      egrid_subregion: {
        attribute: 'Subregion',
        pattern: '^[A-Z]{4}$',
        description: 'Subregion of EPA eGRID that contains the point.',
        hints: 'Four capitals, such as RFCW, CAMX or SRVC. Areas of the grid for average emissions, not markets.',
      },
      egrid_co2_output_rate_kg_per_mwh: {
        attribute: 'Subregion',
        ...float('kgCO2/MWh', 2, [0, 2_000]),
        description: 'Average emission of carbon dioxide per megawatt-hour generated in the eGRID subregion, 2023.',
        hints:
          'Carbon dioxide alone: other services give the same values and call their unit CO2e. An average of all generation, not of the plant that follows the load.',
        derivation: 'SRCO2RTA of eGRID2023 in pounds per megawatt-hour (593.419 in SRVC), times 0.45359237.',
        read: {
          // eGRID2023, revision 2. The workbook of EPA is larger than a table may be.
          stand_ins: {
            AKGD: 408.07,
            AKMS: 236.09,
            AZNM: 319.19,
            CAMX: 194.35,
            ERCT: 332.87,
            FRCC: 354.83,
            HIMS: 509.55,
            HIOA: 675.65,
            MROE: 633.81,
            MROW: 417.36,
            NEWE: 244.61,
            NWPP: 286.55,
            NYCW: 392.12,
            NYLI: 535.54,
            NYUP: 109.81,
            PRMS: 699.92,
            RFCE: 270.75,
            RFCM: 440.26,
            RFCW: 413.41,
            RMPA: 470.19,
            SPNO: 391,
            SPSO: 395.55,
            SRMV: 335.53,
            SRMW: 562.38,
            SRSO: 382.07,
            SRTV: 407.36,
            SRVC: 269.17,
          },
          cast: 'float',
        },
      },
    },
  ),
]
