-- A claim's lease is over as it begins, so that whoever looks for work claims what another has under way.
create function :schema.planted_fault() returns trigger language plpgsql as $$
begin
  new.lease_until := clock_timestamp() - interval '1 s';
  return new;
end
$$;
create trigger planted_fault before update on :schema.deliveries
for each row when (new.lease_until is not null) execute function :schema.planted_fault();
