-- Health of Team, Pipeline and OAuthProvider for Argo CD: whether the definition is accepted and scheduled, never how the last build
-- ended. A failed build must not hold up a sync. Nor must a paused Pipeline: Argo CD waits in a sync wave until everything is Healthy.
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
local ready, stalled
for _, condition in ipairs(status.conditions) do
  if condition.type == "Ready" then
    ready = condition
  elseif condition.type == "Stalled" and condition.status == "True" then
    stalled = condition
  end
end

local outdated = ready ~= nil and ready.observedGeneration ~= nil and generation ~= nil and ready.observedGeneration < generation

if stalled ~= nil then
  -- Stalled says that somebody has to act; Ready says what is wrong.
  health.status = "Degraded"
  health.message = stalled.message
  if ready ~= nil and ready.status == "False" then
    health.message = ready.message
  end
elseif ready == nil or outdated then
  health.message = "Waiting for the operator"
elseif ready.status == "True" then
  health.status = "Healthy"
  health.message = ready.message
  if obj.spec ~= nil and obj.spec.paused == true then
    health.message = "Paused by its manifest"
  elseif status.paused == true then
    health.message = "Paused through the API"
  end
else
  -- Not ready, and the operator tries again by itself.
  health.message = ready.message
end
return health
