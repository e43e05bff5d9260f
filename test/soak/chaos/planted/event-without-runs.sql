-- One run in twenty that an event is to start is not started, and its event counts as processed.
create function :schema.planted_fault() returns trigger language plpgsql as $$
begin
  return null;
end
$$;
create trigger planted_fault before insert on :schema.journey_runs
for each row when (random() < 0.05) execute function :schema.planted_fault();
