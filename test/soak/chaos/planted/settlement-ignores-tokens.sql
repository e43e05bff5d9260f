-- All claims of a delivery have one token, so that whoever had it once can settle it.
create function :schema.planted_fault() returns trigger language plpgsql as $$
begin
  new.token := md5(new.id)::uuid;
  return new;
end
$$;
create trigger planted_fault before update on :schema.deliveries
for each row when (new.token is not null) execute function :schema.planted_fault();
