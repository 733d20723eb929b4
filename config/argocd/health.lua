-- Health of Team, Pipeline and OAuthProvider for Argo CD. It says whether the definition is accepted and scheduled, never how the last
-- build ended: a red build must not hold up a sync.
local health = { status = "Progressing", message = "Waiting for the operator" }
local status = obj.status
local generation = obj.metadata.generation

if obj.metadata.deletionTimestamp ~= nil then
  health.message = "Being deleted"
  return health
end
if status == nil or status.observedGeneration == nil or status.conditions == nil then
  return health
end
if generation ~= nil and status.observedGeneration < generation then
  return health
end
if obj.spec ~= nil and obj.spec.paused == true then
  health.status = "Suspended"
  health.message = "Paused by its manifest"
  return health
end

local ready, stalled
for _, condition in ipairs(status.conditions) do
  if condition.type == "Ready" then
    ready = condition
  elseif condition.type == "Stalled" and condition.status == "True" then
    stalled = condition
  end
end

if stalled ~= nil then
  health.status = "Degraded"
  health.message = stalled.message
elseif ready ~= nil and ready.observedGeneration ~= nil and generation ~= nil and ready.observedGeneration < generation then
  health.message = "Waiting for the operator"
elseif ready ~= nil and ready.status == "False" then
  health.status = "Degraded"
  health.message = ready.message
elseif ready ~= nil and ready.status == "True" then
  health.status = "Healthy"
  health.message = ready.message
end
return health
