import type { Dataset, Field } from '../src/catalog/records.ts'
import { blm } from './datasets/blm.ts'
import { bls } from './datasets/bls.ts'
import { bts } from './datasets/bts.ts'
import { california } from './datasets/california.ts'
import { census } from './datasets/census.ts'
import { doe } from './datasets/doe.ts'
import { eia } from './datasets/eia.ts'
import { epa } from './datasets/epa.ts'
import { epaUtilities } from './datasets/epa-utilities.ts'
import { eu } from './datasets/eu.ts'
import { faa } from './datasets/faa.ts'
import { fcc } from './datasets/fcc.ts'
import { fema } from './datasets/fema.ts'
import { fhfa } from './datasets/fhfa.ts'
import { fieldstone } from './datasets/fieldstone.ts'
import { geonames } from './datasets/geonames.ts'
import { geoplatform } from './datasets/geoplatform.ts'
import { hifld } from './datasets/hifld.ts'
import { hud } from './datasets/hud.ts'
import { landfire } from './datasets/landfire.ts'
import { lbl } from './datasets/lbl.ts'
import { macrostrat } from './datasets/macrostrat.ts'
import { nasa } from './datasets/nasa.ts'
import { nces } from './datasets/nces.ts'
import { ndmc } from './datasets/ndmc.ts'
import { nifc } from './datasets/nifc.ts'
import { nga } from './datasets/nga.ts'
import { noaa } from './datasets/noaa.ts'
import { openMeteo } from './datasets/open-meteo.ts'
import { osm } from './datasets/osm.ts'
import { overture } from './datasets/overture.ts'
import { regrid } from './datasets/regrid.ts'
import { smithsonian } from './datasets/smithsonian.ts'
import { usace } from './datasets/usace.ts'
import { usda } from './datasets/usda.ts'
import { usfs } from './datasets/usfs.ts'
import { usfws } from './datasets/usfws.ts'
import { usgsWaterUse } from './datasets/usgs-water-use.ts'
import { usgsWater } from './datasets/usgs-water.ts'
import { usgs } from './datasets/usgs.ts'
import { windAtlas } from './datasets/wind-atlas.ts'
import { admin } from './fields/admin.ts'
import { agriculture } from './fields/agriculture.ts'
import { air_quality } from './fields/air_quality.ts'
import { buildings } from './fields/buildings.ts'
import { climate } from './fields/climate.ts'
import { coast } from './fields/coast.ts'
import { demographics } from './fields/demographics.ts'
import { economic_zones } from './fields/economic_zones.ts'
import { energy_infrastructure } from './fields/energy_infrastructure.ts'
import { energy_market } from './fields/energy_market.ts'
import { energy_resource } from './fields/energy_resource.ts'
import { environment } from './fields/environment.ts'
import { flood } from './fields/flood.ts'
import { fuel_infrastructure } from './fields/fuel_infrastructure.ts'
import { geology } from './fields/geology.ts'
import { grid_reference } from './fields/grid_reference.ts'
import { habitat } from './fields/habitat.ts'
import { housing } from './fields/housing.ts'
import { hydrology } from './fields/hydrology.ts'
import { land_cover } from './fields/land_cover.ts'
import { market } from './fields/market.ts'
import { natural_hazards } from './fields/natural_hazards.ts'
import { parcel } from './fields/parcel.ts'
import { places } from './fields/places.ts'
import { points_of_interest } from './fields/points_of_interest.ts'
import { protected_areas } from './fields/protected_areas.ts'
import { public_lands } from './fields/public_lands.ts'
import { public_services } from './fields/public_services.ts'
import { roads } from './fields/roads.ts'
import { soil } from './fields/soil.ts'
import { telecom } from './fields/telecom.ts'
import { terrain } from './fields/terrain.ts'
import { transport } from './fields/transport.ts'
import { vegetation } from './fields/vegetation.ts'
import { water } from './fields/water.ts'
import { water_utilities } from './fields/water_utilities.ts'
import { wetlands } from './fields/wetlands.ts'
import { wildfire } from './fields/wildfire.ts'

export { canaries } from './canaries.ts'
export { fieldEvidence } from './evidence.ts'
export { classLabels, fieldLabels } from './labels.ts'
export { presets } from './presets.ts'
export { looseSynonyms, relatedFields, synonyms } from './synonyms.ts'
export { released, version } from './version.ts'

/** Every dataset, by publisher. */
export const datasets: Record<string, Dataset> = {
  ...bls,
  ...blm,
  ...bts,
  ...california,
  ...census,
  ...doe,
  ...eia,
  ...epa,
  ...epaUtilities,
  ...eu,
  ...faa,
  ...fcc,
  ...fema,
  ...fhfa,
  ...fieldstone,
  ...geonames,
  ...geoplatform,
  ...hifld,
  ...hud,
  ...landfire,
  ...lbl,
  ...macrostrat,
  ...nasa,
  ...nces,
  ...ndmc,
  ...nga,
  ...nifc,
  ...noaa,
  ...openMeteo,
  ...osm,
  ...overture,
  ...regrid,
  ...smithsonian,
  ...usace,
  ...usda,
  ...usfs,
  ...usfws,
  ...usgsWater,
  ...usgsWaterUse,
  ...usgs,
  ...windAtlas,
}

/** Every field, by layer. */
export const fields: Field[] = [
  ...admin,
  ...agriculture,
  ...air_quality,
  ...buildings,
  ...climate,
  ...coast,
  ...demographics,
  ...economic_zones,
  ...energy_infrastructure,
  ...energy_market,
  ...energy_resource,
  ...environment,
  ...flood,
  ...fuel_infrastructure,
  ...geology,
  ...grid_reference,
  ...habitat,
  ...housing,
  ...hydrology,
  ...land_cover,
  ...market,
  ...natural_hazards,
  ...parcel,
  ...places,
  ...points_of_interest,
  ...protected_areas,
  ...public_lands,
  ...public_services,
  ...roads,
  ...soil,
  ...telecom,
  ...terrain,
  ...transport,
  ...vegetation,
  ...water,
  ...water_utilities,
  ...wetlands,
  ...wildfire,
]
