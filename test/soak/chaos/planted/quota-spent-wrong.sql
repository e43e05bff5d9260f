-- One send in twenty is not taken off the quota, and another is taken off twice.
create function :schema.planted_fault() returns trigger language plpgsql as $$
begin
  if random() < 0.05 then
    new.quota := old.quota;
  elsif random() < 0.05 and new.quota > 0 then
    new.quota := new.quota - 1;
  end if;
  return new;
end
$$;
create trigger planted_fault before update on :schema.quotas
for each row when (new.quota < old.quota) execute function :schema.planted_fault();
