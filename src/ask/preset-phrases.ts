/** What people say when they want a whole survey, and the preset that is one. A preset that the catalog lacks is passed over. */
export const presetPhrases: Record<string, string[]> = {
  flood_risk: ['flood risk', 'flooding risk', 'risk of flooding', 'risk of flood', 'flood exposure', 'flood hazard', 'flood prone', 'flood insurance'],
  wildfire_underwrite: ['fuel and slope', 'wildfire underwriting', 'fuel load', 'brush clearance'],
  land_cover: ['land cover', 'landcover', 'land use', 'what covers the ground'],
  terrain: ['terrain', 'topography', 'lay of land', 'buildable', 'flat enough'],
  site_selection: ['site selection', 'building site', 'suitable for building', 'develop', 'development', 'warehouse', 'factory', 'build here', 'construction site', 'due diligence'],
  data_center_siting: ['data center', 'data centre', 'datacenter', 'server farm', 'crypto mine', 'hyperscale'],
  wind_siting: ['wind farm', 'wind project', 'wind siting', 'wind development', 'wind park'],
  solar_siting: ['solar farm', 'solar project', 'solar siting', 'solar site', 'solar plant', 'solar park', 'solar development', 'solar array', 'utility scale solar', 'photovoltaic plant'],
  place_context: ['tell me about', 'where am i', 'where is this', 'where do i live', 'what is this place', 'what is here', 'describe', 'overview', 'summary', 'context', 'what do you know'],
  environmental_screening: ['environmental screening', 'environmental review', 'phase i', 'phase 1', 'environmental assessment', 'environmental site assessment', 'nepa', 'esa', 'environmental concern', 'environmental issue', 'environmental risk'],
  natural_hazards: ['natural hazard', 'natural disaster', 'danger', 'dangerous', 'hazard', 'disaster', 'safe', 'safety', 'threat', 'catastrophe', 'emergency plan', 'emergency planning', 'what could go wrong', 'peril', 'nat cat', 'acts of god'],
  property_basics: ['buy', 'buying', 'purchase', 'move here', 'moving here', 'live here', 'good place to live', 'good place', 'nice place', 'nice here', 'home buyer', 'homebuyer', 'underwrite', 'underwriting', 'homeowner policy', 'property report', 'ho 3', 'ho3', 'homeowners policy', 'home insurance', 'insure', 'rent here', 'neighborhood', 'neighbourhood'],
  climate_profile: ['climate', 'weather like', 'climate profile', 'what is the weather', 'seasons'],
}
